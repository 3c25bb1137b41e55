import { median } from './load/percentile.ts';
import { type Generator, type Measured, measure, type Subject } from './measure.ts';
import type { OperationName } from './operations.ts';
import type { Cell } from './result.ts';

/** One operation of one program with so many connections. */
interface Place {
  subject: Subject;
  operation: OperationName;
  connections: number;
}

interface MeasuredPlace extends Place {
  rounds: Measured[];
}

export interface RoundOptions {
  rounds: number;
  connections: number[];
  only: OperationName[];
  generator: Generator;
  onProgress(done: number, total: number, what: string): void;
}

export interface Row {
  subject: string;
  operation: OperationName;
  cells: Cell[];
}

export interface Rounds {
  rows: Row[];
  /** The highest memory of each subject, and under what. */
  peaks: Map<string, { megabytes: number; operation: string }>;
}

/** The name of the subject that is the floor of all others, and the one operation that it has. */
export const floorName = 'floor';

const rotated = <Value>(values: readonly Value[], by: number): Value[] => {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
};

/** All that is measured, the programs side by side, so that what disturbs the machine disturbs all of them. */
function placesOf(subjects: Subject[], { connections, only }: RoundOptions): Place[] {
  const floors = subjects.filter(({ name }) => name === floorName);
  const others = subjects.filter(({ name }) => name !== floorName);
  return connections.flatMap((count) => [
    ...floors.map((subject): Place => ({ subject, operation: 'constant', connections: count })),
    ...only.flatMap((operation) =>
      others
        .filter(({ operations }) => operations.some(({ name }) => name === operation))
        .map((subject) => ({ subject, operation, connections: count })),
    ),
  ]);
}

async function measurePlace({ subject, operation, connections }: Place, generator: Generator): Promise<Measured> {
  const found = subject.operations.find(({ name }) => name === operation);
  if (found === undefined) throw new Error(`${subject.name} has no ${operation}.`);
  return measure(subject, found, connections, generator);
}

function cellOf({ connections, rounds }: MeasuredPlace, floor: number): Cell {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const used = (take: (usage: NonNullable<Measured['usage']>) => number): number | null => {
    const counted = rounds.flatMap(({ usage, answered }) => (usage && answered > 0 ? [take(usage) / answered] : []));
    return counted.length > 0 ? median(counted) : null;
  };
  const cpu = used(({ cpuSeconds }) => cpuSeconds);
  const failures: Record<string, number> = {};
  for (const round of rounds)
    for (const [reason, times] of Object.entries(round.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    connections,
    median: median(rates),
    best: Math.max(...rates),
    rounds: rates,
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    share: floor > 0 ? median(rates) / floor : 0,
    cpuSeconds: cpu === null ? null : cpu * 1000,
    writtenBytes: used(({ writtenBytes }) => writtenBytes),
    writes: used(({ writes }) => writes),
    failures,
  };
}

function rowsOf(measured: MeasuredPlace[]): Row[] {
  const rateOfFloor = (connections: number): number => {
    const found = measured.find((each) => each.subject.name === floorName && each.connections === connections);
    return median(found?.rounds.map(({ perSecond }) => perSecond) ?? []);
  };
  const groups = Map.groupBy(measured, ({ subject, operation }) => `${subject.name} ${operation}`);
  return [...groups.values()].flatMap((places) => {
    const [first] = places;
    if (first === undefined) return [];
    const cells = places.map((place) => cellOf(place, rateOfFloor(place.connections)));
    return [{ subject: first.subject.name, operation: first.operation, cells }];
  });
}

/** Measures everything in each round, each round beginning at another place. */
export async function measureRounds(subjects: Subject[], options: RoundOptions): Promise<Rounds> {
  const places = placesOf(subjects, options).map((place): MeasuredPlace => ({ ...place, rounds: [] }));
  const peaks: Rounds['peaks'] = new Map();
  const total = places.length * options.rounds;
  let done = 0;
  for (let round = 0; round < options.rounds; round += 1) {
    const start = Math.floor((places.length * round) / options.rounds);
    for (const place of rotated(places, start)) {
      const { subject, operation, connections } = place;
      options.onProgress(done, total, `${subject.name} ${operation}, ${connections} connections`);
      const measured = await measurePlace(place, options.generator);
      place.rounds.push(measured);
      if (measured.megabytes > (peaks.get(subject.name)?.megabytes ?? 0))
        peaks.set(subject.name, { megabytes: measured.megabytes, operation });
      done += 1;
    }
  }
  return { rows: rowsOf(places), peaks };
}
