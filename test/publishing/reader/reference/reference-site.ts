import { expect } from 'vitest';
import { insertComputed } from '../../../content/computed/reference-space.ts';
import { edit } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { getSpecs } from '../../openapi/spec-client.ts';
import { createPublishedSite } from '../../resolution/site-world.ts';
import { type Element, getElements, getText, parse } from '../html-tree.ts';

/** A response for a page. */
export interface ReadPage {
  status: number;
  html: string;
  headers: Headers;
  /** Database round trips of the request. */
  trips: number;
}

const getTrips = (headers: Headers): number =>
  Number(/trips;desc="(\d+)"/.exec(headers.get('server-timing') ?? '')?.[1]);

/** Creates a published site with pages for a whole specification. Tests may add pages. */
export async function createReferenceSite(specification: object | string) {
  const organization = await platform().makeOrganization();
  const specs = getSpecs(platform(), organization);
  const publish = async (slug: string, text: object | string) => {
    const spec = await specs.publish(slug, { text: typeof text === 'string' ? text : JSON.stringify(text) });
    expect(spec.lastProcessErrorMessage).toBeUndefined();
  };
  await publish('api', specification);
  const space = await platform().makeSpace({ organization, title: 'Guide' });
  const [reference = ''] = await edit(space, [insertComputed('api')]);
  const update = (more: object) => edit(space, [{ operation: 'update_page', page: reference, ...more }]);
  const { base, site } = await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });
  const read = async (path = '', headers: Record<string, string> = {}): Promise<ReadPage> => {
    const response = await platform().request(`${base}/${path}`, { headers });
    return {
      status: response.status,
      html: await response.text(),
      headers: response.headers,
      trips: getTrips(response.headers),
    };
  };
  const write = (title: string, markdown: string, more: object = {}) =>
    edit(space, [{ operation: 'insert_page', title, document: { markdown }, ...more }]);
  return { organization, space, site, base, publish, update, read, write };
}

export const hasClass =
  (name: string) =>
  ({ properties }: Element): boolean =>
    Array.isArray(properties.className) && properties.className.includes(name);

/** Returns the elements of a page with a class. */
export const getWithClass = (html: string, name: string): Element[] => getElements(parse(html)).filter(hasClass(name));

/** Returns the texts of these elements with collapsed white space. */
export const findTexts = (html: string, name: string): string[] =>
  getWithClass(html, name).map((node) => getText(node).replace(/\s+/g, ' ').trim());
