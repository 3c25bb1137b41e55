import { connect } from 'node:net';
import { type ParsedAnswer, responseParser } from './response-parser.ts';

const READ_BYTES = 65_536;

interface ConnectionOptions {
  host: string;
  port: number;
  /** How many bytes of a body are looked at. */
  kept: number;
  /** What is sent next, or undefined when there is no more. */
  next(): Uint8Array | undefined;
  onAnswer(answer: ParsedAnswer): void;
  onBroken(reason: string): void;
}

/** Sends one request after the other; resolves when there are no more, or when the connection broke. */
export const keepSending = (options: ConnectionOptions): Promise<void> =>
  new Promise((resolve) => open(options, resolve));

function open(options: ConnectionOptions, done: () => void): void {
  const { host, port, kept, next, onAnswer, onBroken } = options;
  let isAnswered = true;
  let isOver = false;

  const end = (after: () => void) => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    after();
  };
  const send = () => {
    const bytes = next();
    if (bytes === undefined) return end(done);
    isAnswered = false;
    socket.write(bytes);
  };
  const parser = responseParser(kept, (answer) => {
    isAnswered = true;
    onAnswer(answer);
    if (answer.isLast) end(() => open(options, done));
    else send();
  });
  const breakOff = (reason: string) =>
    end(() => {
      onBroken(reason);
      done();
    });
  // One buffer for all that is read: a stream of its own for each piece would cost more than the parsing.
  const callback = (length: number, buffer: Uint8Array) => {
    parser.push(Buffer.from(buffer.buffer, buffer.byteOffset, length));
    return true;
  };
  const socket = connect({ host, port, noDelay: true, onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback } });
  socket.on('connect', send);
  socket.on('error', (error) => breakOff(error.message));
  socket.on('end', () => {
    parser.end();
    if (!isAnswered) breakOff('the connection was closed before the answer');
  });
  socket.on('close', () => breakOff('the connection was closed'));
}
