// Prints results as `cargo test` does, so that the project counts all tests in one way.
import { inspect } from "node:util";

export default async function* report(events) {
  const counted = { passed: 0, failed: 0, ignored: 0 };
  yield "     Running services/web\n";
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    const over = type === "test:pass" || type === "test:fail";
    if (!over || data.details?.type === "suite") continue;
    const ignored = data.skip !== undefined || data.todo !== undefined;
    const failed = type === "test:fail";
    counted[ignored ? "ignored" : failed ? "failed" : "passed"] += 1;
    const seconds = `${(data.details.duration_ms / 1_000).toFixed(1)} s`;
    const said = ignored ? "ignored" : failed ? "FAILED" : `ok (${seconds})`;
    yield `test ${data.name} ... ${said}\n`;
    if (failed) yield `${inspect(data.details.error?.cause ?? data.details.error)}\n`;
  }
  const verdict = counted.failed === 0 ? "ok" : "FAILED";
  const { passed, failed, ignored } = counted;
  yield `test result: ${verdict}. ${passed} passed; ${failed} failed; ${ignored} ignored;\n`;
}
