// Generates the contract's TypeScript from the descriptors that the Rust side keeps, so that neither
// protoc nor buf is needed: a plugin of protoc reads a request on its standard input.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../src/gen");
const plugin = join(
  dirname(createRequire(import.meta.url).resolve("@bufbuild/protoc-gen-es/package.json")),
  "bin/protoc-gen-es",
);

const descriptors = readFileSync(join(here, "../../../proto/src/gen/descriptors.bin"));
const { file: protoFile } = fromBinary(FileDescriptorSetSchema, descriptors);
// What services tell each other is nothing for a browser.
const ours = (name) => !/^(google\/protobuf|tengen\/internal)\//.test(name);
const request = create(CodeGeneratorRequestSchema, {
  fileToGenerate: protoFile.map((file) => file.name).filter(ours),
  parameter: "target=ts",
  protoFile,
});

const ran = spawnSync(process.execPath, [plugin], {
  input: toBinary(CodeGeneratorRequestSchema, request),
  maxBuffer: 64 * 1024 * 1024,
  stdio: ["pipe", "pipe", "inherit"],
});
if (ran.status !== 0) process.exit(ran.status ?? 1);
const answer = fromBinary(CodeGeneratorResponseSchema, ran.stdout);
if (answer.error) throw new Error(answer.error);

rmSync(out, { recursive: true, force: true });
for (const { name, content } of answer.file) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), content);
}
