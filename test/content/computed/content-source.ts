import { callOperator } from '@octavo/platform';
import { type Installed, installScript } from '../../integrations/scripts/scripted.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { installOn } from '../../support/integrations.ts';
import { serveLocally } from '../../support/local-server.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { getClient } from '../space-client.ts';
import type { ReferencePage } from './reference-space.ts';
import { listAllPages } from './reference-space.ts';

const server = platform();

/** An integration script that returns the pages described by its props, or fails if the props say so. */
const script = getScript(`
  const { type, dependencies, sourceId } = event;
  const props = event.props?.told ? { ...event.props, ...await (await fetch(event.props.told)).json() } : event.props;
  const text = (text) => ({ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] });
  const block = (type, nodes, data = {}) => ({ object: 'block', type, data, nodes, isVoid: false });
  if (type === 'content_compute_document' && props.long) return Response.json({ document: { nodes: [block('paragraph', [text(props.long.of.repeat(props.long.times))])] } });
  if (type === 'content_compute_document' && props.fails) throw new Error('not now');
  if (props?.filled) return new Response('{"document":{"nodes":[' + (props.filled.of + ',').repeat(props.filled.times) + props.filled.of + ']}}');
  if (type === 'content_compute_document' && props.nodes) return Response.json({ document: { nodes: props.nodes } });
  if (type === 'content_compute_document') return Response.json({ document: { object: 'document', data: {}, nodes: [
    block('heading-2', [text('About ' + props.name)]),
    block('paragraph', [text('{% include "x" %} known as ' + environment.installation.id + ' ' + JSON.stringify(dependencies))]),
    block('reusable-content', [], { ref: { kind: 'reusable-content', url: 'secret' } }),
  ] } });
  if (type !== 'content_compute_revision') return new Response('', { status: 406 });
  if (props.fails) throw new Error('not now');
  if (props.wait) await scheduler.wait(props.wait);
  if (props.gate) await fetch(props.gate);
  if (props.throws) throw new Error(environment.secrets.KEY + ' ' + props.throws);
  if (props.refuses) return new Response(environment.secrets.KEY + ' ' + props.refuses, { status: 500 });
  if (props.answer) return Response.json(props.answer);
  const page = (name, pages = []) => ({ type: 'document', title: name, description: sourceId,
    computed: { type: 'integration:' + environment.integration.name + ':' + sourceId, props: { name } }, pages });
  return Response.json({ pages: (props.names ?? []).map((name) => page(name, [page('Below ' + name)])) });
`);

/** Serves additional props to the script. They can change without an edit, because an edit also re-indexes the page. */
export async function serveProps(): Promise<{ told: string; tell: (props: object) => void }> {
  let props: object = {};
  const url = await serveLocally((_, response) => void response.end(JSON.stringify(props)));
  return {
    told: url,
    tell: (more) => {
      props = more;
    },
  };
}

/** A secret that the script is published with. */
export const secret = 'a-key-that-nobody-sees';

const contentSources = [{ id: 'pages', title: 'Pages', configuration: { componentId: 'configure' } }];
/** Stored state of a computed page. */
export interface ComputedRow {
  error: string | null;
  failures: number;
  version: string | null;
  due_at: number;
  leased_until: number;
}

/** Runs the cron job that computes due pages. */
export const makeDue = () => callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '*/1 * * * *' });

async function makeSpaceOn(installed: Installed) {
  const { owner, name } = installed;
  const newSpace = await server.makeSpace({ organization: owner });
  await installOn(`/v1/integrations/${name}/installations/${installed.id}`, owner, { space: newSpace.id });
  const space = getClient(server, { ...newSpace, token: owner.token });
  const readTree = async (more = '') =>
    (await space.callJson<{ pages: ReferencePage[] }>(`/content/pages${more}`)).pages;
  const readRows = () =>
    query<ComputedRow>(
      'SELECT error, failures, version, due_at, leased_until FROM computed_contents WHERE space = ?',
      newSpace.id,
    );
  const waitUntilIdle = () =>
    until(() => (readRows().every(({ leased_until }) => leased_until === 0) ? true : undefined));
  const waitForFirstComputation = () =>
    until(async () => {
      await makeDue();
      return readRows().every(({ due_at, leased_until }) => due_at > Date.now() && leased_until === 0)
        ? true
        : undefined;
    });
  return {
    ...{ ...newSpace, space, tree: readTree, rows: readRows },
    titles: async () => listAllPages(await readTree()).map(({ title }) => title),
    insert: async (props: object, more: object = {}) => {
      const computed = { type: `integration:${name}:pages`, props, ...more };
      const [id = ''] = await space.change([{ operation: 'insert_computed', title: 'Made', computed }]);
      await until(() => (readRows().length > 0 ? true : undefined));
      return id;
    },
    /** Waits for the current run to end, including one that the cron job started. */
    settled: waitUntilIdle,
    /** Runs the cron job until the first computation has ended. */
    first: waitForFirstComputation,
    /** Runs the computation now, even if it is not due. */
    make: async () => {
      // A run that already started does not see later changes, and the update below skips leased rows.
      await waitUntilIdle();
      await writeDatabase(
        server,
        'UPDATE computed_contents SET due_at = 1 WHERE space = ? AND leased_until = 0',
        newSpace.id,
      );
      await waitForFirstComputation();
    },
  };
}

/** Publishes an integration that generates pages, and installs it in its own organization. */
export async function makeContentSource() {
  const installed = await installScript(server, script, {
    contentSources,
    visibility: 'public',
    secrets: { KEY: secret },
  });
  return { ...installed, makeSpace: () => makeSpaceOn(installed) };
}

export type ContentSource = Awaited<ReturnType<typeof makeContentSource>>;
