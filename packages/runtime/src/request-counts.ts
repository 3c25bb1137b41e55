/**
 * Requests are counted in the memory of an isolate. The counts are complete only if all workers share one isolate, as
 * they do on one machine.
 */

/** The part of the platform that a request is for. */
export type RequestArea = 'api' | 'site' | 'page';

/** Upper limits of the histogram's buckets, in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  /** The number of requests in each bucket. The last entry is the number of slower requests. */
  counts: number[];
  seconds: number;
}

const requests = new Map<string, number>();
const durations = new Map<RequestArea, Histogram>();

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Counts a request by its area, method and status. A client can invent methods, so all unknown methods share one label.
 */
export function countRequest(area: RequestArea, method: string, status: number, milliseconds: number): void {
  const labels = `area="${area}",method="${methods.has(method) ? method : 'OTHER'}",status="${status}"`;
  requests.set(labels, (requests.get(labels) ?? 0) + 1);
  const histogram = durations.get(area) ?? { counts: new Array<number>(buckets.length + 1).fill(0), seconds: 0 };
  durations.set(area, histogram);
  const seconds = milliseconds / 1000;
  const bucket = buckets.findIndex((limit) => seconds <= limit);
  const index = bucket === -1 ? buckets.length : bucket;
  histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
  histogram.seconds += seconds;
}

/** A measurement with its samples, in the terms of Prometheus. */
export interface Metric {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** Each sample has its labels, which can follow a suffix of the metric's name, and its value. */
  samples: [labels: string, value: number][];
}

function describeDurations(area: RequestArea, { counts, seconds }: Histogram): [string, number][] {
  const label = `area="${area}"`;
  let total = 0;
  const cumulative = counts.map((count, index): [string, number] => {
    total += count;
    return [`_bucket{${label},le="${buckets[index] ?? '+Inf'}"}`, total];
  });
  return [...cumulative, [`_sum{${label}}`, seconds], [`_count{${label}}`, total]];
}

/** Returns the counts of requests. */
export const describeRequests = (): Metric[] => [
  {
    name: 'octavo_requests_total',
    type: 'counter',
    help: 'Requests since the start of the runtime.',
    samples: [...requests].map(([labels, count]) => [`{${labels}}`, count]),
  },
  {
    name: 'octavo_request_duration_seconds',
    type: 'histogram',
    help: 'Time until the response of a request begins.',
    samples: [...durations].flatMap(([area, histogram]) => describeDurations(area, histogram)),
  },
];
