import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { parentPort, workerData } from 'node:worker_threads';
import { LogFile, RuntimeLines } from './log.ts';

/** A message to the log's thread: lines to write, or null at the end. */
export type LogMessage = string | null;

/** Runs in the log's thread. It reads the runtime's output even while the main thread is blocked. */
function writeLog({ output, file }: { output: string; file: string }): void {
  const log = new LogFile(file);
  const lines = new RuntimeLines();
  const decoder = new StringDecoder('utf8');
  const handle = openSync(output, constants.O_RDWR | constants.O_NONBLOCK);
  const socket = new Socket({ fd: handle, readable: true, writable: false });
  const appendOutput = (chunk: Buffer) => log.append(lines.readLines(decoder.write(chunk)));
  socket.on('data', appendOutput);
  parentPort?.on('message', (message: LogMessage) => {
    if (message !== null) return log.append(message);
    socket.off('data', appendOutput);
    readRemaining(handle, appendOutput);
    log.append(lines.end());
    log.close();
    socket.destroy();
    parentPort?.close();
  });
  parentPort?.postMessage('open');
}

/** Reads the rest of the pipe. The runtime has ended, so an empty pipe stays empty. */
function readRemaining(handle: number, take: (chunk: Buffer) => void): void {
  const buffer = Buffer.alloc(64 * 1024);
  try {
    for (;;) take(Buffer.from(buffer.subarray(0, readSync(handle, buffer))));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
  }
}

writeLog(workerData as { output: string; file: string });
