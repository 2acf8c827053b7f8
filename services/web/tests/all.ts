// Loads the test files that are asked for, or all; those without a browser first.
const wanted = process.argv.slice(2);
const slow = (path: string) => (path.includes("/browser-") ? 1 : 0);
const files = Object.entries(import.meta.glob("./*.test.ts"));

for (const [path, load] of files.sort(([a], [b]) => slow(a) - slow(b) || a.localeCompare(b))) {
  if (wanted.length === 0 || wanted.some((name) => path.startsWith(`./${name}`))) await load();
}
