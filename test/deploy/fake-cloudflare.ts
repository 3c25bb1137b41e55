import {
  type ApiResponse,
  accountId,
  type Call,
  type Received,
  Refusal,
  type Route,
  readJson,
  zones,
} from './fake-api.ts';
import { isRead } from './fake-storage.ts';
import { FakeWorkers } from './fake-workers.ts';

/** Cloudflare's API for one account with two zones, with its state in memory. */
export class FakeCloudflare extends FakeWorkers {
  readonly calls: Call[] = [];
  readonly records: { zone: string; name: string; proxied: boolean }[] = [];
  /** Called after each write, and before its response is sent. Throws `Killed` to lose the response. */
  onWrite: (call: Call) => void = () => {};
  /** Called before each call. Throws `Killed` or a `Refusal` to prevent it. */
  onCall: (call: Call) => void = () => {};

  get writes(): string[] {
    return this.calls.filter(({ isWrite }) => isWrite).map(({ method, path }) => `${method} ${path}`);
  }

  readonly #routes: Route[] = [
    ...this.storageRoutes,
    ...this.workerRoutes,
    ['GET', /^\/zones$/, ({ url }) => zones.filter(({ name }) => name === url.searchParams.get('name'))],
    ['GET', /^\/zones\/([^/]+)\/workers\/routes$/, (_, zone) => this.routes.filter((each) => each.zone === zone)],
    ['GET', /^\/zones\/([^/]+)\/dns_records$/, (_, zone) => this.records.filter((each) => each.zone === zone)],
    [
      'GET',
      /^\/zones\/([^/]+)\/ssl\/certificate_packs$/,
      () => {
        throw new Refusal(403, 10000, 'Authentication error');
      },
    ],
  ];

  /** Sends a request to the API or to a host name of a worker, without the network. */
  readonly fetch = (async (input: string, init: RequestInit = {}) => {
    const url = new URL(input);
    const request = new Request(url, init);
    if (url.host !== 'api.cloudflare.com') return this.#visit(url, request.headers);
    const { status, body } = await this.handle({
      method: request.method,
      url,
      body: await request.bytes(),
      contentType: request.headers.get('content-type') ?? '',
      authorization: request.headers.get('authorization') ?? '',
    });
    return Response.json(body, { status });
  }) as typeof fetch;

  /** Builds whose workers fail with every request. */
  readonly brokenBuilds = new Set<unknown>();

  /** Responds as the gateway of a host does, as far as smoke tests see. */
  #visit({ host, pathname }: URL, headers: Headers): Response {
    const first = this.domains.get(host)?.service;
    if (first === undefined) throw new TypeError('fetch failed', { cause: new Error(`getaddrinfo ENOTFOUND ${host}`) });
    const overrides = headers.get('cloudflare-workers-version-overrides') ?? '';
    const { bindings: firstBindings } = this.getServingVersion(this.script(first), overrides);
    const findText = (name: string) => firstBindings.find((each) => each.name === name)?.text;
    const [cell] = String(findText('OCTAVO_CELLS') ?? '').split(' ');
    if (cell !== '' && pathname.startsWith('/directory/')) {
      const build = String(findText('OCTAVO_BUILD'));
      return new Response('', { status: this.brokenBuilds.has(build) ? 500 : 404, headers: { 'octavo-build': build } });
    }
    const binding = `CELL_${(headers.get('octavo-cell') ?? cell ?? '').toUpperCase()}`;
    const gateway = String(firstBindings.find(({ name }) => name === binding)?.service ?? first);
    const { bindings } = this.getServingVersion(this.script(gateway), overrides);
    const services = bindings.filter(({ type }) => type === 'service').map(({ service }) => String(service));
    const [own, ...bound] = [gateway, ...services].map((name) => {
      const { bindings } = this.getServingVersion(this.script(name), overrides);
      const build = bindings.find((each) => each.name === 'OCTAVO_BUILD')?.text;
      const hasSecret = bindings.some(({ type }) => type === 'secret_text');
      return { name, build, isBroken: this.brokenBuilds.has(build) || (name !== gateway && !hasSecret) };
    });
    if (own?.isBroken || bound.some(({ isBroken }) => isBroken)) return new Response('', { status: 500 });
    if (pathname === '/v1') return Response.json({ build: own?.build });
    const [, overridden = ''] = /^([-a-z]+)=/.exec(overrides) ?? [];
    const called = bound.find(({ name }) => name === overridden);
    const build = { 'octavo-build': String(called?.build) };
    return new Response('{}', { status: pathname === '/health' ? 200 : 401, headers: build });
  }

  /** Sends a request to the fake, as through the network. */
  async handle(request: Received): Promise<ApiResponse> {
    const path = request.url.pathname.replace(/^\/client\/v4/, '').replace(`/accounts/${accountId}`, '');
    const entry = this.#routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    const sql = path.endsWith('/query') ? readJson<{ sql: string }>(request).sql : undefined;
    const isWrite = request.method !== 'GET' && (sql === undefined || !isRead(sql));
    const call = { method: request.method, path: this.#toStablePath(path), isWrite };
    this.calls.push(call);
    try {
      this.onCall(call);
      if (entry === undefined) throw new Refusal(404, 7003, `The fake has no ${request.method} ${path}`);
      const names = entry[1].exec(path)?.slice(1) ?? [];
      const result = await entry[2](request, ...names.map(decodeURIComponent));
      if (isWrite) this.onWrite(call);
      return { status: 200, body: { success: true, errors: [], messages: [], result } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
    }
  }

  /** Replaces the random ids in a path with names, so that paths are the same in each run. */
  #toStablePath(path: string): string {
    const names = [
      ...[...this.databases.values()].map(({ uuid, name }) => [uuid, name]),
      ...[...this.queues.values()].map(({ queue_id, queue_name }) => [queue_id, queue_name]),
    ];
    const stable = names.reduce((text, [id = '', name = '']) => text.replace(id, name), path);
    return stable.replace(/(versions|consumers)\/[^/]+$/, '$1/…');
  }
}
