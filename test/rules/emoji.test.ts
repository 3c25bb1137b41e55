import type { Endpoint } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { json, makeChangeRequest } from '../support/content.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';

/** The parts of a zod schema that describe its contents. */
interface Schema {
  _zod: {
    def: {
      shape?: Record<string, Schema>;
      innerType?: Schema;
      element?: Schema;
      options?: Schema[];
      in?: Schema;
      values?: unknown[];
    };
  };
}

/**
 * Returns the paths of the fields whose names contain "emoji". Members of an operation union are named after the
 * operation.
 */
function findEmojiPaths(schema: Schema | undefined, path: string[] = []): string[] {
  if (schema === undefined) return [];
  const { shape = {}, innerType, element, options = [], in: input } = schema._zod.def;
  const [operation] = shape.operation?._zod.def.values ?? [];
  const here = operation === undefined ? path : [...path, String(operation)];
  return [
    ...Object.entries(shape).flatMap(([name, field]) =>
      /emoji|reactions$/i.test(name) ? [[...here, name].join('.')] : findEmojiPaths(field, [...here, name]),
    ),
    ...[innerType, element, input, ...options].flatMap((inner) => findEmojiPaths(inner, here)),
  ];
}

const fields = operations.flatMap(({ id, endpoint }) =>
  [endpoint.params, endpoint.query, endpoint.body]
    .flatMap((schema) => findEmojiPaths(schema as Schema | undefined))
    .map((place) => ({ id, endpoint, place })),
);

interface Written {
  status: number;
  body: Record<string, unknown> & { error?: { issues?: { path: string }[] } };
}

let token: string;
let ids: Record<string, string>;
/** The complete customization of a site. */
let customization: object;

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  token = organization.token;
  const space = await platform().makeSpace({ organization });
  const [pageId = ''] = await getClient(platform(), space).change([insertPage('P')]);
  const changeRequest = await makeChangeRequest(space);
  const sites = `/v1/orgs/${organization.id}/sites`;
  const { id: siteId } = await json<{ id: string }>(sites, { token, body: { spaces: [space.id] } });
  const list = await json<{ items: { id: string }[] }>(`${sites}/${siteId}/site-spaces`, { token });
  const look = await json<object>(`${sites}/${siteId}/customization`, { token });
  customization = look;
  const siteSpaceId = list.items[0]?.id ?? '';
  ids = {
    siteId,
    siteSpaceId,
    organizationId: organization.id,
    spaceId: space.id,
    changeRequestId: changeRequest.id,
    pageId,
  };
});

/** Creates a comment and a reply for each attempt, below the path prefix of the endpoint. */
async function createComments({ path }: Endpoint): Promise<Record<string, string>> {
  const body = { body: { markdown: 'Words.' } };
  const comments = getAddress({ path: `${path.slice(0, path.indexOf('/comments'))}/comments` } as Endpoint, ids);
  const { id: commentId } = await json<{ id: string }>(comments, { token, body });
  const reply = await json<{ id: string }>(`${comments}/${commentId}/replies`, { token, body });
  return { commentId, commentReplyId: reply.id };
}

const changes: Record<string, (page: string) => object> = {
  update_page: (page) => ({ page }),
  insert_page: () => ({ title: 'A page', document: { markdown: 'Words.' } }),
  insert_group: () => ({ title: 'A group' }),
  insert_link: () => ({ title: 'A link', target: { kind: 'url', url: 'https://example.test/' } }),
  insert_computed: () => ({
    title: 'Computed',
    computed: { type: 'integration:weather:forecast' },
  }),
};

/** Sends an emoji in one field of an operation. */
async function write({ endpoint, place }: (typeof fields)[number], emoji: string): Promise<Written> {
  const [name = '', operation, field = ''] = place.split('.');
  const posted = endpoint.path.includes('/comments') ? await createComments(endpoint) : {};
  const change = { operation, [field]: emoji, ...changes[operation ?? '']?.(ids.pageId ?? '') };
  const value = name === 'changes' ? [change] : name === 'emoji' ? emoji : [emoji];
  const body = name === 'favicon' ? { ...customization, favicon: { emoji } } : { [name]: value };
  const options = { token, method: endpoint.method, body };
  const response = await platform().request(getAddress(endpoint, { ...ids, ...posted }), options);
  return { status: response.status, body: (await response.json()) as Written['body'] };
}

test('spaces, pages and reactions are the only objects with an emoji field', () => {
  expect(new Set(fields.map(({ place }) => place))).toEqual(
    new Set([
      'emoji',
      'addedReactions',
      'removedReactions',
      'favicon.emoji',
      ...Object.keys(changes).map((name) => `changes.${name}.emoji`),
    ]),
  );
});

describe.each(fields)('$id, $place', (field) => {
  test('accepts an emoji as a character and as code points', async () => {
    for (const emoji of ['📖', '1f4d6', '1f468-200d-1f469-200d-1f467']) {
      const { status, body } = await write(field, emoji);

      expect([emoji, status, body.error]).toEqual([emoji, field.endpoint.success, undefined]);
      if (field.place === 'emoji') expect(body.emoji).toBe(emoji);
    }
  });

  test('rejects anything else with the path of the field', async () => {
    const { status, body } = await write(field, '1f4d6-1f4d6');
    const path = field.place.replace(/^changes\.\w+/, 'changes.0').replace(/Reactions$/, '$&.0');

    expect([status, body.error?.issues?.map((issue) => issue.path)]).toEqual([400, [`body.${path}`]]);
  });
});

test('both notations of an emoji are the same reaction', async () => {
  const { spaceId = '' } = ids;
  const path = `/v1/spaces/${spaceId}/comments`;
  const { id } = await json<{ id: string }>(path, { token, body: { body: { markdown: 'Words.' } } });
  const changeReactions = (body: object) =>
    json<{ reactions: { emoji: string; count: number }[] }>(`${path}/${id}`, { token, method: 'PUT', body });

  const added = await changeReactions({
    addedReactions: ['1f468-200d-1f469-200d-1f467', '👨‍👩‍👧', '1f468-1f469-1f467'],
  });
  const removed = await changeReactions({ removedReactions: ['1f468-1f469-1f467'] });

  expect([added.reactions, removed.reactions]).toMatchObject([[{ emoji: '👨‍👩‍👧', count: 1 }], []]);
});
