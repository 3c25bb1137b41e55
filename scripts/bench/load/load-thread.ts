import { parentPort, workerData } from 'node:worker_threads';
import { counter } from '../api-request.ts';
import { keepSending } from './connection.ts';
import type { Load, LoadOptions } from './load.ts';
import { percentile } from './percentile.ts';
import type { ParsedAnswer } from './response-parser.ts';

/** What is not answered so long after the time is over is lost. */
const PATIENCE_MS = 30_000;

const { host, port, requests, connections, seconds, first } = workerData as LoadOptions;
const templates = requests.map(({ bytes, ...request }) => ({ ...request, bytes: Buffer.from(bytes) }));
const kept = Math.max(...requests.map(({ bodyStart }) => bodyStart.length));
const milliseconds: number[] = [];
const failures: Record<string, number> = {};
let number = first;
let answered = 0;

function fail(reason: string): void {
  failures[reason] = (failures[reason] ?? 0) + 1;
}

/** The next request, with its number in it: a copy, since the last one may not have left yet. */
function nextRequest() {
  const template = templates[number % templates.length];
  if (template === undefined) throw new Error('There is nothing to send.');
  const bytes = template.counters.length > 0 ? Buffer.from(template.bytes) : template.bytes;
  const digits = String(number).padStart(counter.length, '0');
  for (const place of template.counters) bytes.write(digits, place, 'latin1');
  number += 1;
  return { ...template, bytes };
}

const started = performance.now();
const deadline = started + seconds * 1000;

function sendAll(): Promise<void> {
  let sent = 0;
  let expected = { status: 0, bodyStart: '' };
  const next = () => {
    const now = performance.now();
    if (now >= deadline) return undefined;
    const { bytes, status, bodyStart } = nextRequest();
    sent = now;
    expected = { status, bodyStart };
    return bytes;
  };
  const onAnswer = ({ status, start }: ParsedAnswer) => {
    const now = performance.now();
    if (status !== expected.status || !start.startsWith(expected.bodyStart)) return fail(`${status} ${start}`.trim());
    answered += 1;
    if (now <= deadline) milliseconds.push(now - sent);
  };
  return keepSending({ host, port, kept, next, onAnswer, onBroken: fail });
}

const tooLate = setTimeout(
  () => {
    fail(`no answer within ${PATIENCE_MS / 1000} s`);
    report();
  },
  seconds * 1000 + PATIENCE_MS,
);

function report(): void {
  clearTimeout(tooLate);
  milliseconds.sort((a, b) => a - b);
  const result: Load = {
    answered,
    perSecond: milliseconds.length / seconds,
    p50: percentile(milliseconds, 50),
    p99: percentile(milliseconds, 99),
    failures,
    next: number,
  };
  parentPort?.postMessage(result);
}

await Promise.all(Array.from({ length: connections }, sendAll));
report();
