import { GitBookAPI } from '@gitbook/api';
import * as newest from 'gitbook-api-202';
import { expect, vi } from 'vitest';
import { openSite } from '../publishing/audiences/open-site.ts';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { listFieldsMissingForAnyVersion } from './official/versions.ts';

/** Returns a page with every element that a renderer supports, and a conditional block that must not be rendered. */
const getText = ({ pageId, fileId, reusableContentId }: Record<string, string>) => `# One

Words **bold** and *more*, [a link](/pages/${pageId}), [a place](#one), \`code\`, $$x$$, <kbd>K</kbd>.

* a
* b

1. c

* [ ] d

{% hint style="info" %}
Hint
{% endhint %}

{% tabs %}
{% tab title="A" %}
In a
{% endtab %}
{% endtabs %}

<details>

<summary>More</summary>

Inside

</details>

| a | b |
| - | - |
| 1 | 2 |

{% embed url="https://gist.github.com/ann/0123456789abcdef0123" %}

> Said

{% file src="/files/${fileId}" %}
Caption
{% endfile %}

![A pixel](/files/${fileId})

***

{% content-ref url="/pages/${pageId}" %}
[Start](/pages/${pageId})
{% endcontent-ref %}

{% stepper %}
{% step %}
## First

Do
{% endstep %}
{% endstepper %}

\`\`\`js
let a
\`\`\`

{% include "/reusable-contents/${reusableContentId}" %}

{% if visitor.claims.unsigned.staff %}
Unseen words
{% endif %}
`;

/** The types of blocks, inlines and marks that the renderers support. */
export const known = new Set(
  `paragraph heading-1 heading-2 heading-3 list-ordered list-unordered list-tasks list-item columns column code code-line
  hint images image tabs tabs-item expandable table openapi-operation openapi-schemas openapi-webhook embed blockquote math
  file divider drawing content-ref integration reusable-content stepper stepper-step updates update prompt link inline-math
  annotation emoji mention inline-image button icon expression bold italic code strikethrough color keyboard superscript
  subscript expandable-title expandable-body`.split(/\s+/),
);

/** Returns the types of all nodes in a document. */
export function listTypes(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listTypes);
  if (typeof value !== 'object' || value === null) return [];
  const { object, type, nodes, fragments, leaves, marks } = value as Record<string, unknown>;
  const isTyped = typeof type === 'string' && /^(?:block|inline|mark)$/.test(String(object));
  return [...(isTyped ? [type] : []), ...[nodes, fragments, leaves, marks].flatMap(listTypes)];
}

/** Publishes a site with every kind of content. Returns clients of both versions with a visitor token. */
export async function makeRenderedSite() {
  const site = await openSite('public');
  const { ids, organization } = site;
  const space = { id: ids.spaceId ?? '', token: organization.token };
  const document = { markdown: getText(ids) };
  const page = { operation: 'insert_page', title: 'Everything', emoji: '1f4d6', document };
  const [everything = ''] = await edit(space, [page]);
  const { endpoint, authToken } = { endpoint: platform().url, authToken: site.token };
  const usual = new GitBookAPI({ endpoint, authToken });
  const visitor = new newest.GitBookAPI({ endpoint, authToken });
  const owner = new newest.GitBookAPI({ endpoint, authToken: organization.token });
  const { revision } = (await usual.spaces.getSpaceById(space.id)).data;
  const at = [space.id, revision] as const;
  const inSite = [organization.id, site.site] as const;
  return { site, ids, organization, space, everything, usual, visitor, owner, at, inSite };
}

export type RenderedSite = Awaited<ReturnType<typeof makeRenderedSite>>;

/** Returns the response of an operation and checks that it has all fields that the official descriptions require. */
export async function readComplete<Data>(operation: string, call: Promise<{ data: Data }>): Promise<Data> {
  const { data } = await call;
  expect([operation, listFieldsMissingForAnyVersion(operation, data)]).toEqual([operation, []]);
  return data;
}

export const getStatus = (call: Promise<unknown>): Promise<number | undefined> =>
  call.then(
    () => 200,
    (error: { code?: number }) => error.code,
  );

/** Resolves a preview URL for a change request or revision of a site. Returns a client with the preview token. */
export async function getPreview({ site, organization }: RenderedSite, version: string) {
  const { url } = await json<{ url: string }>(`${site.path}/publishing/preview`, { token: organization.token });
  const address = `${site.base}/~/${version}${new URL(url).search}`;
  const client = new GitBookAPI({ endpoint: platform().url });
  const { data } = await client.urls.resolvePublishedContentByUrl({ url: address });
  if ('target' in data) throw new Error(`${address} leads to ${data.redirect}.`);
  return { found: data, client: new GitBookAPI({ endpoint: platform().url, authToken: data.apiToken }) };
}

export const waitFor = <Value>(look: () => Promise<Value>): Promise<Value> => vi.waitFor(look, { timeout: 20_000 });
