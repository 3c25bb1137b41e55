import { randomUUID } from 'node:crypto';
import { type Received, Refusal, type Route, readJson, requireFound, zones } from './fake-api.ts';
import { type Consumer, FakeStorage } from './fake-storage.ts';

export interface Version {
  id: string;
  number: number;
  annotations: Record<string, string>;
  bindings: Record<string, unknown>[];
  metadata: Record<string, unknown>;
  /** The contents of its modules by name. */
  modules: Map<string, Uint8Array>;
  /** The hashes of its static files by path. */
  assets: Record<string, { hash: string }>;
}

export interface Script {
  name: string;
  migrationTag: string | undefined;
  versions: Version[];
  deployments: {
    id: string;
    created_on: string;
    versions: { version_id: string; percentage: number }[];
    annotations: Record<string, string>;
  }[];
  crons: string[];
  subdomain: { enabled: boolean; previews_enabled: boolean };
  settings: Record<string, unknown>;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
const createJwt = (payload: object) => `e30.${encode({ exp: 4e9, ...payload })}.x`;
const readJwt = (jwt: string) => decode(jwt.split('.')[1] ?? '') as Record<string, unknown>;

/** Workers with their versions, deployments and triggers. */
export class FakeWorkers extends FakeStorage {
  readonly scripts = new Map<string, Script>();
  readonly domains = new Map<string, { hostname: string; service: string; zone_id: string }>();
  readonly routes: { id: string; zone: string; pattern: string; script: string }[] = [];
  readonly assets = new Map<string, Uint8Array>();
  readonly #sessions = new Map<string, Version['assets']>();
  #deploymentCount = 0;

  protected readonly workerRoutes: Route[] = [
    ['POST', /^\/queues\/([^/]+)\/consumers$/, (request, id = '') => this.#addConsumer(id, readJson(request))],
    [
      'PUT',
      /^\/queues\/([^/]+)\/consumers\/([^/]+)$/,
      (request, id = '', consumer = '') => this.#updateConsumer(id, consumer, readJson(request)),
    ],
    [
      'DELETE',
      /^\/queues\/([^/]+)\/consumers\/([^/]+)$/,
      (_, id = '', consumer = '') => {
        const queue = this.#findQueue(id);
        queue.consumers = queue.consumers.filter(({ consumer_id }) => consumer_id !== consumer);
      },
    ],
    ['GET', /^\/workers\/domains$/, () => [...this.domains.values()]],
    ['GET', /^\/workers\/services\/([^/]+)$/, (_, name = '') => this.#presentService(name)],
    ['GET', /^\/workers\/workers\/([^/]+)$/, (_, name = '') => ({ name, subdomain: this.script(name).subdomain })],
    ['PUT', /^\/workers\/scripts\/([^/]+)$/, (request, name = '') => this.#putScript(request, name)],
    ['GET', /^\/workers\/scripts\/([^/]+)\/secrets$/, (_, name = '') => this.#listSecrets(name)],
    [
      'GET',
      /^\/workers\/scripts\/([^/]+)\/settings$/,
      (_, name = '') => ({ bindings: presentVersion(this.getServingVersion(this.script(name))).resources.bindings }),
    ],
    ['PUT', /^\/workers\/scripts\/([^/]+)\/secrets$/, (request, name = '') => this.#putSecret(name, readJson(request))],
    ['GET', /^\/workers\/scripts\/([^/]+)\/schedules$/, (_, name = '') => this.#presentSchedules(name)],
    [
      'PUT',
      /^\/workers\/scripts\/([^/]+)\/schedules$/,
      (request, name = '') => {
        this.script(name).crons = readJson<{ cron: string }[]>(request).map(({ cron }) => cron);
        return this.#presentSchedules(name);
      },
    ],
    ['GET', /^\/workers\/scripts\/([^/]+)\/subdomain$/, (_, name = '') => this.script(name).subdomain],
    [
      'POST',
      /^\/workers\/scripts\/([^/]+)\/subdomain$/,
      (request, name = '') => Object.assign(this.script(name).subdomain, readJson<object>(request)),
    ],
    ['GET', /^\/workers\/scripts\/([^/]+)\/script-settings$/, (_, name = '') => this.script(name).settings],
    [
      'PATCH',
      /^\/workers\/scripts\/([^/]+)\/script-settings$/,
      (request, name = '') => Object.assign(this.script(name).settings, readJson<object>(request)),
    ],
    [
      'GET',
      /^\/workers\/scripts\/([^/]+)\/deployments$/,
      (_, name = '') => ({ deployments: this.script(name).deployments.toReversed().slice(0, 10) }),
    ],
    [
      'POST',
      /^\/workers\/scripts\/([^/]+)\/deployments$/,
      (request, name = '') => this.#createDeployment(name, readJson(request)),
    ],
    [
      'GET',
      /^\/workers\/scripts\/([^/]+)\/versions$/,
      (_, name = '') => ({ items: this.script(name).versions.toReversed().slice(0, 10).map(presentVersion) }),
    ],
    ['POST', /^\/workers\/scripts\/([^/]+)\/versions$/, (request, name = '') => this.#uploadVersion(request, name)],
    [
      'GET',
      /^\/workers\/scripts\/([^/]+)\/versions\/([^/]+)$/,
      (_, name = '', id = '') =>
        presentVersion(
          requireFound(
            this.script(name).versions.find((each) => each.id === id),
            10007,
            'version',
          ),
        ),
    ],
    ['POST', /^\/workers\/scripts\/([^/]+)\/assets-upload-session$/, (request) => this.#startAssets(readJson(request))],
    ['POST', /^\/workers\/assets\/upload$/, (request) => this.#uploadAssets(request)],
    ['PUT', /^\/workers\/scripts\/([^/]+)\/routes$/, (request, name = '') => this.#putRoutes(name, readJson(request))],
    [
      'POST',
      /^\/workers\/scripts\/([^/]+)\/domains\/changeset$/,
      () => ({ added: [], removed: [], updated: [], conflicting: [] }),
    ],
    [
      'PUT',
      /^\/workers\/scripts\/([^/]+)\/domains\/records$/,
      (request, name = '') => this.#putDomains(name, readJson(request)),
    ],
  ];

  protected script(name: string): Script {
    return requireFound(this.scripts.get(name), 10007, 'Worker');
  }

  #findQueue = (id: string) =>
    requireFound(
      [...this.queues.values()].find(({ queue_id }) => queue_id === id),
      11000,
      'queue',
    );

  #readConsumer(body: Omit<Consumer, 'script'> & { script_name: string }): Omit<Consumer, 'consumer_id'> {
    const { type, script_name: script, dead_letter_queue: dead, settings } = body;
    this.script(script);
    if (dead !== undefined && !this.queues.has(dead)) throw new Refusal(400, 11000, `The queue ${dead} does not exist`);
    return { type, script, settings, ...(dead === undefined ? {} : { dead_letter_queue: dead }) };
  }

  #addConsumer(id: string, body: Omit<Consumer, 'script'> & { script_name: string }) {
    const queue = this.#findQueue(id);
    if (queue.consumers.length > 0)
      throw new Refusal(400, 11004, `The queue ${queue.queue_name} has a consumer already`);
    const consumer = { consumer_id: randomUUID(), ...this.#readConsumer(body) };
    queue.consumers.push(consumer);
    return consumer;
  }

  #updateConsumer(id: string, consumer: string, body: Omit<Consumer, 'script'> & { script_name: string }) {
    const existing = this.#findQueue(id).consumers.find(({ consumer_id }) => consumer_id === consumer);
    return Object.assign(requireFound(existing, 11002, 'consumer'), this.#readConsumer(body));
  }

  #presentService(name: string) {
    const { migrationTag } = this.script(name);
    const script = {
      id: name,
      tag: `tag-of-${name}`,
      tags: [],
      last_deployed_from: 'wrangler',
      migration_tag: migrationTag,
    };
    return { id: name, default_environment: { environment: 'production', script } };
  }

  #presentSchedules = (name: string) => ({ schedules: this.script(name).crons.map((cron) => ({ cron })) });

  #listSecrets = (name: string) =>
    (this.getServingVersion(this.script(name)).bindings as { name: string; type: string }[]).filter(
      ({ type }) => type === 'secret_text',
    );

  /** Checks that the resource that a binding names exists, as Cloudflare does at an upload. */
  #resolveBinding(binding: Record<string, unknown>, former: Version | undefined): Record<string, unknown> {
    const { type, name } = binding;
    if (type === 'service' && !this.scripts.has(String(binding.service)))
      throw new Refusal(
        400,
        10143,
        `Could not resolve service binding '${name}'. Target script '${binding.service}' not found.`,
      );
    if (type === 'd1' && !this.databases.has(String(binding.id)))
      throw new Refusal(400, 10021, `binding ${name} of type d1 must have a valid \`id\` specified`);
    if (type === 'queue' && !this.queues.has(String(binding.queue_name)))
      throw new Refusal(400, 10021, `The queue ${binding.queue_name} of the binding ${name} does not exist`);
    if (type === 'r2_bucket' && !this.buckets.has(String(binding.bucket_name)))
      throw new Refusal(400, 10085, `R2 bucket '${binding.bucket_name}' not found.`);
    if (type !== 'inherit') return binding;
    const inherited = former?.bindings.find((each) => each.name === name);
    if (inherited === undefined) throw new Refusal(400, 10057, `inherit binding '${name}' is invalid: no such binding`);
    return inherited;
  }

  async #readVersion(request: Received, former: Version | undefined): Promise<Version> {
    const headers = { 'content-type': request.contentType };
    const form = await new Response(new Blob([Buffer.from(request.body)]), { headers }).formData();
    const {
      bindings,
      annotations = {},
      ...metadata
    } = JSON.parse(String(form.get('metadata'))) as {
      bindings: Record<string, unknown>[];
      annotations?: Record<string, string>;
      assets?: { jwt: string };
    } & Record<string, unknown>;
    const modules = new Map<string, Uint8Array>();
    for (const [, part] of form) if (part instanceof File) modules.set(part.name, await part.bytes());
    const resolved = bindings.map((binding) => this.#resolveBinding(binding, former));
    const keepsSecrets = (metadata.keep_bindings as string[] | undefined)?.includes('secret_text');
    const inheritedBindings = (former?.bindings ?? []).filter(
      ({ type, name }) => keepsSecrets && type === 'secret_text' && !resolved.some((each) => each.name === name),
    );
    const jwt = metadata.assets === undefined ? undefined : readJwt(metadata.assets.jwt);
    return {
      id: randomUUID(),
      number: (former?.number ?? 0) + 1,
      annotations,
      bindings: [...resolved, ...inheritedBindings],
      metadata,
      modules,
      assets: this.#sessions.get(String(jwt?.session)) ?? {},
    };
  }

  /** Uploads a version and sends all requests to it. */
  async #putScript(request: Received, name: string) {
    const existing = this.scripts.get(name);
    const version = await this.#readVersion(request, existing?.versions.at(-1));
    const { migrations, observability } = version.metadata as {
      migrations?: { new_tag: string };
      observability: unknown;
    };
    const script = existing ?? {
      name,
      migrationTag: undefined,
      versions: [],
      deployments: [],
      crons: [],
      subdomain: { enabled: true, previews_enabled: true },
      settings: {},
    };
    script.versions.push(version);
    script.migrationTag = migrations?.new_tag ?? script.migrationTag;
    script.settings.observability = observability;
    this.scripts.set(name, script);
    this.#addDeployment(script, { versions: [{ version_id: version.id, percentage: 100 }], annotations: {} });
    return { id: name, tag: `tag-of-${name}`, deployment_id: version.id.replaceAll('-', ''), startup_time_ms: 1 };
  }

  async #uploadVersion(request: Received, name: string) {
    const script = this.script(name);
    const version = await this.#readVersion(request, script.versions.at(-1));
    if (version.metadata.migrations !== undefined)
      throw new Refusal(400, 10211, 'migrations must be fully applied by running a non-versioned deployment');
    script.versions.push(version);
    return { ...presentVersion(version), startup_time_ms: 1 };
  }

  #addDeployment(
    script: Script,
    { versions, annotations }: Pick<Script['deployments'][number], 'versions' | 'annotations'>,
  ) {
    const created_on = new Date(Date.UTC(2026, 0, 1) + 1000 * this.#deploymentCount).toISOString();
    this.#deploymentCount += 1;
    script.deployments.push({ id: randomUUID(), created_on, versions, annotations });
  }

  #createDeployment(name: string, deployment: Pick<Script['deployments'][number], 'versions' | 'annotations'>) {
    const script = this.script(name);
    for (const { version_id: id } of deployment.versions)
      requireFound(
        script.versions.find((each) => each.id === id),
        10007,
        'version',
      );
    if (deployment.versions.reduce((sum, { percentage }) => sum + percentage, 0) !== 100)
      throw new Refusal(400, 10209, 'The percentages must sum to 100');
    this.#addDeployment(script, deployment);
    return {};
  }

  /** Sets a secret. Secrets are part of a version, so this creates and deploys a new version. */
  #putSecret(name: string, secret: { name: string; text: string; type: string }) {
    const script = this.script(name);
    const last = this.getServingVersion(script);
    const bindings = [...last.bindings.filter((each) => each.name !== secret.name), secret];
    const version = { ...last, id: randomUUID(), number: script.versions.length + 1, annotations: {}, bindings };
    script.versions.push(version);
    this.#addDeployment(script, { versions: [{ version_id: version.id, percentage: 100 }], annotations: {} });
    return { name: secret.name, type: secret.type };
  }

  /**
   * Requests only a few of the missing files, in two groups, as if the others had been uploaded earlier. Uploading the
   * thousands of files of a release would take long.
   */
  #startAssets({ manifest }: { manifest: Version['assets'] }) {
    const hashes = [...new Set(Object.values(manifest).map(({ hash }) => hash))].slice(0, 20);
    const missing = hashes.filter((hash) => !this.assets.has(hash));
    const session = randomUUID();
    this.#sessions.set(session, manifest);
    const buckets = [missing.slice(0, 10), missing.slice(10)].filter((bucket) => bucket.length > 0);
    return { jwt: createJwt({ session }), buckets };
  }

  /** The upload of the last files returns the token with which the worker names its files. */
  async #uploadAssets(request: Received) {
    const headers = { 'content-type': request.contentType };
    const form = await new Response(new Blob([Buffer.from(request.body)]), { headers }).formData();
    for (const [hash, part] of form)
      this.assets.set(hash, Buffer.from(part instanceof File ? await part.text() : part, 'base64'));
    return { jwt: request.authorization.replace('Bearer ', '') };
  }

  #putRoutes(name: string, routes: { pattern: string; zone_name?: string }[]) {
    const taken = this.routes.find(
      ({ script, pattern }) => script !== name && routes.some((each) => each.pattern === pattern),
    );
    if (taken !== undefined) throw new Refusal(409, 10020, `The route ${taken.pattern} belongs to ${taken.script}`);
    const others = this.routes.filter(({ script }) => script !== name);
    const added = routes.map(({ pattern, zone_name: zone }) => ({
      id: randomUUID(),
      zone: requireFound(
        zones.find((each) => each.name === zone),
        10007,
        'zone',
      ).id,
      pattern,
      script: name,
    }));
    this.routes.splice(0, this.routes.length, ...others, ...added);
    return added;
  }

  #putDomains(name: string, { origins }: { origins: { hostname: string }[] }) {
    for (const [host, { service }] of this.domains) if (service === name) this.domains.delete(host);
    for (const { hostname } of origins) {
      const zone = requireFound(
        zones.find((each) => hostname.endsWith(each.name)),
        10007,
        'zone',
      );
      this.domains.set(hostname, { hostname, service: name, zone_id: zone.id });
    }
    return origins;
  }

  /** Returns the version that a request runs, which can name another deployed version. */
  getServingVersion({ name, versions, deployments }: Script, overrides = ''): Version {
    const last = requireFound(deployments.at(-1), 10007, 'deployment');
    const deployed = last.versions.toSorted((a, b) => b.percentage - a.percentage);
    const [, expected] = new RegExp(`(?:^|[ ,])${name}="([^"]+)"`).exec(overrides) ?? [];
    const chosen = deployed.find(({ version_id }) => version_id === expected) ?? deployed[0];
    return requireFound(
      versions.find(({ id }) => id === chosen?.version_id),
      10007,
      'version',
    );
  }
}

/** The API never returns the value of a secret. */
const presentVersion = ({ id, number, annotations, bindings }: Version) => ({
  id,
  number,
  annotations,
  metadata: { created_on: '2026-01-01T00:00:00Z', has_preview: false },
  resources: {
    bindings: bindings.map(({ text, ...binding }) => (binding.type === 'secret_text' ? binding : { ...binding, text })),
    script: { etag: id },
  },
});
