// Runs the tests in this folder: `npm test`, or `npm test -- browser-game` for one file.
import { runnerImport } from "vite";

const LIMIT_MS = 5 * 60_000;

// What still runs then hangs, and would for ever.
setTimeout(() => process.exit(1), LIMIT_MS).unref();
await runnerImport(new URL("all.ts", import.meta.url).pathname);
