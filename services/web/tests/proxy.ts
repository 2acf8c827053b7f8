// A line that can go dead: what is sent arrives, and no answer comes back.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  url: string;
  freeze: () => void;
  thaw: () => void;
  stop: () => Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const servers = new Set<Socket>();
  let frozen = false;
  const join = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => to.write(bytes));
    from.on("close", () => to.destroy());
    from.on("error", () => to.destroy());
  };
  const listener = createServer((browser) => {
    const server = connect(Number(port), hostname);
    servers.add(server);
    server.on("close", () => servers.delete(server));
    join(browser, server);
    join(server, browser);
    if (frozen) server.pause();
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    freeze: () => {
      frozen = true;
      for (const server of servers) server.pause();
    },
    thaw: () => {
      frozen = false;
      for (const server of servers) server.resume();
    },
    stop: () => {
      for (const server of servers) server.destroy();
      return new Promise((done) => listener.close(() => done()));
    },
  };
}
