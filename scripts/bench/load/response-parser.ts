/** An answer over a connection that is kept. */
export interface ParsedAnswer {
  status: number;
  /** The first bytes of the body, as many as were asked for. */
  start: string;
  /** The server closes the connection behind it. */
  isLast: boolean;
}

interface ResponseParser {
  /** Takes what came, in whatever pieces; the bytes may be overwritten afterwards. */
  push(bytes: Buffer): void;
  /** The connection has ended. */
  end(): void;
}

type Step = 'head' | 'body' | 'all' | 'size' | 'chunk' | 'chunk end' | 'trailer';

const LINE_END = '\r\n';
const nothing = Buffer.alloc(0);

/** Parses answers to GET and POST (RFC 9112), of which it keeps the beginning of the body and nothing else. */
export function responseParser(kept: number, onAnswer: (answer: ParsedAnswer) => void): ResponseParser {
  let step: Step = 'head';
  let left = 0;
  let rest = nothing;
  let answer: ParsedAnswer = { status: 0, start: '', isLast: false };

  const finish = () => {
    step = 'head';
    onAnswer(answer);
  };

  const keep = (data: Buffer, from: number, to: number) => {
    const missing = kept - answer.start.length;
    if (missing > 0) answer.start += data.toString('latin1', from, Math.min(to, from + missing));
  };

  const readHead = (data: Buffer, from: number): number | undefined => {
    const end = data.indexOf('\r\n\r\n', from);
    if (end < 0) return undefined;
    const head = data.toString('latin1', from, end);
    const status = Number(head.slice(9, 12));
    const next = end + 4;
    if (status >= 100 && status < 200) return next;
    answer = { status, start: '', isLast: /\r\nconnection: *close/i.test(head) };
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) step = 'size';
    else if (status === 204 || status === 304 || length === '0') finish();
    else if (length === undefined) step = 'all';
    else [step, left] = ['body', Number(length)];
    return next;
  };

  /** Reads a line whole; what `take` does with it says which step is next. */
  const readLine = (data: Buffer, from: number, take: (line: string) => void): number | undefined => {
    const end = data.indexOf(LINE_END, from);
    if (end < 0) return undefined;
    take(data.toString('latin1', from, end));
    return end + LINE_END.length;
  };

  const readBytes = (data: Buffer, from: number, done: () => void): number => {
    const end = Math.min(data.length, from + left);
    keep(data, from, end);
    left -= end - from;
    if (left === 0) done();
    return end;
  };

  const steps: Record<Step, (data: Buffer, from: number) => number | undefined> = {
    head: readHead,
    body: (data, from) => readBytes(data, from, finish),
    all: (data, from) => {
      keep(data, from, data.length);
      return data.length;
    },
    size: (data, from) =>
      readLine(data, from, (line) => {
        left = Number.parseInt(line, 16);
        step = left === 0 ? 'trailer' : 'chunk';
      }),
    chunk: (data, from) =>
      readBytes(data, from, () => {
        step = 'chunk end';
      }),
    'chunk end': (data, from) =>
      readLine(data, from, () => {
        step = 'size';
      }),
    trailer: (data, from) =>
      readLine(data, from, (line) => {
        if (line === '') finish();
      }),
  };

  return {
    push(bytes) {
      const data = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      rest = nothing;
      let at: number | undefined = 0;
      while (at < data.length) {
        const next: number | undefined = steps[step](data, at);
        if (next === undefined) {
          rest = Buffer.from(data.subarray(at));
          return;
        }
        at = next;
      }
    },
    end() {
      if (step !== 'all') return;
      answer.isLast = true;
      finish();
    },
  };
}
