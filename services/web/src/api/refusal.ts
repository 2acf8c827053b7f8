// Why a call failed: the server's reason, in the contract's words, or a line that is down.
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

const ERROR_INFO = "google.rpc.ErrorInfo";
/** Refusals that another try of the same request mends. */
const PASSING = new Set([
  "BEHIND_UNAVAILABLE",
  "RESUME_ELSEWHERE",
  "CONTENDED",
  "SLOW_WATCHER",
]);

export class Refusal extends Error {
  /** A name of `tengen.common.v1.Reason` without its prefix; empty if the server gave none. */
  readonly reason: string;
  readonly metadata: Record<string, string>;
  readonly code: Code;

  constructor(code: Code, reason: string, metadata: Record<string, string>, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.metadata = metadata;
  }

  /** Whether nothing was decided: the line is down, or a service behind it. */
  get passing(): boolean {
    if (this.reason !== "") return PASSING.has(this.reason);
    return this.code !== Code.Unimplemented && this.code !== Code.Canceled;
  }

  /** Whether the access token is to be renewed. */
  get unsigned(): boolean {
    return this.code === Code.Unauthenticated && this.reason === "INVALID_TOKEN";
  }
}

/** What stands behind any error of a call. */
export function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const failed = ConnectError.from(error, Code.Unavailable);
  for (const detail of failed.details) {
    if ("type" in detail && detail.type === ERROR_INFO) {
      const { reason, metadata } = errorInfo(detail.value);
      return new Refusal(failed.code, reason, metadata, failed.rawMessage);
    }
  }
  return new Refusal(failed.code, "", {}, failed.rawMessage);
}

/** google.rpc.ErrorInfo: reason = 1, domain = 2, metadata = 3. */
function errorInfo(bytes: Uint8Array): { reason: string; metadata: Record<string, string> } {
  const reader = new BinaryReader(bytes);
  const metadata: Record<string, string> = {};
  let reason = "";
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) {
      reason = reader.string();
    } else if (field === 3) {
      const end = reader.uint32() + reader.pos;
      let [key, value] = ["", ""];
      while (reader.pos < end) {
        const [part, kind] = reader.tag();
        if (part === 1) key = reader.string();
        else if (part === 2) value = reader.string();
        else reader.skip(kind);
      }
      metadata[key] = value;
    } else {
      reader.skip(type);
    }
  }
  return { reason, metadata };
}
