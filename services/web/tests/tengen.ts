// `tengen dev` for the tests: the debug binary on a free port, with files of its own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const DIST = join(ROOT, "services/web/dist");

export interface Tengen {
  url: string;
  stop: () => Promise<void>;
}

export async function startTengen(): Promise<Tengen> {
  const data = mkdtempSync(join(tmpdir(), "tengen-web-"));
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("TENGEN_"));
  const child = spawn(binary(), ["dev", "--listen", "127.0.0.1:0", "--data", data, "--web", DIST], {
    env: Object.fromEntries(environment),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const die = () => child.kill("SIGKILL");
  process.once("exit", die);
  const address = await greeting(child);
  return {
    url: `http://${address}`,
    stop: async () => {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
      process.off("exit", die);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Where it says it is. */
function greeting(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let said = "";
    child.stdout?.on("data", (text: Buffer) => {
      said += text;
      const address = /Tengen is at (\S+): /.exec(said)?.[1];
      if (address && said.includes("Ctrl-C")) done(address);
    });
    child.once("exit", (status) => fail(new Error(`tengen ended with ${status}:\n${said}`)));
  });
}

function binary(): string {
  const asked = ["metadata", "--no-deps", "--format-version", "1"];
  const told = execFileSync("cargo", asked, { cwd: ROOT, maxBuffer: 1 << 26 }).toString();
  const { target_directory: target } = JSON.parse(told) as { target_directory: string };
  const path = join(target, "debug/tengen");
  if (!existsSync(path)) throw new Error(`no ${path}: cargo build -p tengen-standalone`);
  if (!existsSync(join(DIST, "index.html"))) throw new Error(`no ${DIST}: npm run build`);
  return path;
}
