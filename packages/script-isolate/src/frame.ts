/** What a run of a script may take. */
export interface ScriptLimits {
  /** From its start to the last promise that it waits for. */
  milliseconds: number;
  cpuMilliseconds: number;
  /** Beyond what its process had before. */
  memoryBytes: number;
  answerBytes: number;
  /** How many requests it may send. */
  requests: number;
}

/** What a run may take unless its caller allows less. */
export const scriptLimits: ScriptLimits = {
  milliseconds: 30_000,
  cpuMilliseconds: 2_000,
  memoryBytes: 256_000_000,
  answerBytes: 5_000_000,
  requests: 50,
};

/** What a script wrote to its console. */
export interface ScriptLog {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  timestamp: string;
}

/** What stopped a run: `busy` and `unavailable` say that it never began, `too_large` that it was sent or answers too much. */
export type ScriptFault = 'timeout' | 'memory' | 'exception' | 'too_large' | 'busy' | 'unavailable';

/** What came of a run. */
export type ScriptOutcome =
  | { ok: true; status: number; headers: [string, string][]; body: Uint8Array; logs: ScriptLog[] }
  | { ok: false; fault: ScriptFault; message: string; logs: ScriptLog[] };

/** What those who run a script know of it. */
export interface ScriptHead {
  /** Its scripts share no process with those of another. */
  tenant: string;
  /** Who has the script run: callers take turns. */
  caller: string;
  /** Whether anybody can cause such a run. */
  isPublic: boolean;
  /** No two installations have the same. */
  isolate: string;
  /** The text of the script goes by this name, which changes with it. */
  script: string;
  limits: ScriptLimits;
}

/** What the host of scripts takes in of a run: the text of the script, and what the script is sent. */
export const hostLimits = { textBytes: 5 * 1024 * 1024, formBytes: 8_000_000 };

/** The header of a request that tells how many bytes the text of the script has, which comes before the form then. */
export const textHeader = 'octavo-script-text';

/** The header of a request in which the head stands. */
export const headHeader = 'octavo-script';

/** A head as the value of a header. */
export const headText = (head: ScriptHead): string => encodeURIComponent(JSON.stringify(head));

/** The head that a value of a header tells. */
export const headOf = (text: string): ScriptHead => JSON.parse(decodeURIComponent(text)) as ScriptHead;

const lengthBytes = 4;

/** An outcome as bytes: the length of what is told of the body, as JSON, and the body as it is. */
export function encodeOutcome(outcome: ScriptOutcome): Uint8Array<ArrayBuffer> {
  const { body, ...told } = outcome.ok ? outcome : { ...outcome, body: new Uint8Array() };
  const text = new TextEncoder().encode(JSON.stringify(told));
  const bytes = new Uint8Array(lengthBytes + text.length + body.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, lengthBytes);
  bytes.set(body, lengthBytes + text.length);
  return bytes;
}

/** The outcome that these bytes tell. */
export function decodeOutcome(bytes: Uint8Array): ScriptOutcome {
  const bodyAt = lengthBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const told = JSON.parse(new TextDecoder().decode(bytes.subarray(lengthBytes, bodyAt))) as ScriptOutcome;
  return told.ok ? { ...told, body: bytes.subarray(bodyAt) } : told;
}

/** A line of the console as bytes, of which a process tells any number before the outcome. */
export const encodeLog = (log: ScriptLog): Uint8Array => new TextEncoder().encode(`${JSON.stringify(log)}\n`);

const lineEnd = 10;

/** What stands between the lines of the console and the outcome. */
export const beforeOutcome: Uint8Array = Uint8Array.of(lineEnd);

/** What a process told of a run: the lines so far, and the bytes of the outcome once there is one. */
export function takeRun(bytes: Uint8Array): { logs: ScriptLog[]; outcome: Uint8Array | undefined } {
  const logs: ScriptLog[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf(lineEnd, at);
    if (end === -1) return { logs, outcome: undefined };
    if (end === at) return { logs, outcome: end + 1 < bytes.length ? bytes.subarray(end + 1) : undefined };
    logs.push(JSON.parse(new TextDecoder().decode(bytes.subarray(at, end))) as ScriptLog);
    at = end + 1;
  }
}
