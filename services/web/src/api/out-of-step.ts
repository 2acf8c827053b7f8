/** Thrown while a message is taken: what we have is not what the server has. */
export class OutOfStep extends Error {}
