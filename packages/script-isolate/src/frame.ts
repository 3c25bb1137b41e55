/** Resource limits of a script run. */
export interface ScriptLimits {
  /** Milliseconds from the start until the last promise of the run is settled. */
  milliseconds: number;
  cpuMilliseconds: number;
  /** Maximum memory, in addition to the memory that the process used before the run. */
  memoryBytes: number;
  answerBytes: number;
  /** Maximum number of outgoing requests. */
  requests: number;
}

/** Default limits of a run. */
export const scriptLimits: ScriptLimits = {
  milliseconds: 30_000,
  cpuMilliseconds: 2_000,
  memoryBytes: 256_000_000,
  answerBytes: 5_000_000,
  requests: 50,
};

/** A console message of a script. */
export interface ScriptLog {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  timestamp: string;
}

/**
 * The reason for which a run failed. With `busy` and `unavailable` the run never started; with `too_large` its input or
 * its response was too large.
 */
export type ScriptFault = 'timeout' | 'memory' | 'exception' | 'too_large' | 'busy' | 'unavailable';

/** The result of a run. */
export type ScriptOutcome =
  | { ok: true; status: number; headers: [string, string][]; body: Uint8Array; logs: ScriptLog[] }
  | { ok: false; fault: ScriptFault; message: string; logs: ScriptLog[] };

/** The metadata that the script host needs for a run. */
export interface ScriptHead {
  /** Scripts of different tenants never share a process. */
  tenant: string;
  /** The account that causes the run. Runs are scheduled round-robin by caller. */
  caller: string;
  /** Whether an anonymous request can cause this run. */
  isPublic: boolean;
  /** The name of the isolate, unique for each installation. */
  isolate: string;
  /** The key of the script's source, different for each version. */
  script: string;
  limits: ScriptLimits;
}

/** Size limits of the script host's input: the script source and the request form. */
export const hostLimits = { textBytes: 5 * 1024 * 1024, formBytes: 8_000_000 };

/** Request header with the length of the script source, which then precedes the form in the body. */
export const textHeader = 'octavo-script-text';

/** Request header with the run's metadata. */
export const headHeader = 'octavo-script';

/** Encodes a head as a header value. */
export const encodeHead = (head: ScriptHead): string => encodeURIComponent(JSON.stringify(head));

/** Decodes a head from a header value. */
export const decodeHead = (text: string): ScriptHead => JSON.parse(decodeURIComponent(text)) as ScriptHead;

const lengthBytes = 4;

/** Encodes an outcome as the length of its JSON, the JSON without the body, and the body. */
export function encodeOutcome(outcome: ScriptOutcome): Uint8Array<ArrayBuffer> {
  const { body, ...header } = outcome.ok ? outcome : { ...outcome, body: new Uint8Array() };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(lengthBytes + text.length + body.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, lengthBytes);
  bytes.set(body, lengthBytes + text.length);
  return bytes;
}

/** Decodes an outcome. */
export function decodeOutcome(bytes: Uint8Array): ScriptOutcome {
  const bodyAt = lengthBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(lengthBytes, bodyAt))) as ScriptOutcome;
  return header.ok ? { ...header, body: bytes.subarray(bodyAt) } : header;
}

/** Encodes a console message as a line. A process writes any number of them before the outcome. */
export const encodeLog = (log: ScriptLog): Uint8Array => new TextEncoder().encode(`${JSON.stringify(log)}\n`);

const lineEnd = 10;

/** The separator between the console messages and the outcome. */
export const beforeOutcome: Uint8Array = Uint8Array.of(lineEnd);

/** Splits the output of a process into the console messages so far and the bytes of the outcome, if it has begun. */
export function splitOutput(bytes: Uint8Array): { logs: ScriptLog[]; outcome: Uint8Array | undefined } {
  const logs: ScriptLog[] = [];
  for (let offset = 0; ; ) {
    const end = bytes.indexOf(lineEnd, offset);
    if (end === -1) return { logs, outcome: undefined };
    if (end === offset) return { logs, outcome: end + 1 < bytes.length ? bytes.subarray(end + 1) : undefined };
    logs.push(JSON.parse(new TextDecoder().decode(bytes.subarray(offset, end))) as ScriptLog);
    offset = end + 1;
  }
}
