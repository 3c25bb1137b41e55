import { json, makePage } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { createPublishedSite } from '../../resolution/site-world.ts';
import { type Element, getElements, getText, parse } from '../html-tree.ts';

export interface DrawnElement {
  tag: string;
  classes: string[];
  text: string;
  /** HTML attributes by name. */
  attributes: Record<string, string>;
  inside: DrawnElement[];
}

/** Maps a property name of the parser to its HTML attribute name. */
const nameInHtml = (name: string): string =>
  name === 'className'
    ? 'class'
    : name
        .replace(/^(data|aria)(?=[A-Z])/, '$1-')
        .replace(/(?<=^data-.*[a-z])(?=[A-Z])/g, '-')
        .toLowerCase();

function describeElement(node: Element): DrawnElement {
  const attributes = Object.entries(node.properties).map(([name, value]) => [
    nameInHtml(name),
    Array.isArray(value) ? value.join(' ') : String(value),
  ]);
  const inside = getElements(node).slice(1).map(describeElement);
  const own: Record<string, string> = Object.fromEntries(attributes);
  return {
    ...{ tag: node.tagName, text: getText(node), attributes: own, inside },
    classes: (own.class ?? '').split(' '),
  };
}

export interface DrawnPage {
  html: string;
  policy: string;
  /** Returns the elements that match a tag, or a tag and a class (`div.hint`). */
  all: (named: string) => DrawnElement[];
  /** Returns the only element that matches. */
  one: (named: string) => DrawnElement;
}

function read(html: string, policy: string): DrawnPage {
  const article = getElements(parse(html)).find(({ tagName }) => tagName === 'article');
  const elements = article === undefined ? [] : getElements(article).map(describeElement);
  const findElements = (named: string) => {
    const [tag, name] = named.split('.');
    return elements.filter((each) => each.tag === tag && (name === undefined || each.classes.includes(name)));
  };
  const findElement = (named: string) => {
    const [first, ...more] = findElements(named);
    if (first === undefined || more.length > 0) throw new Error(`Of ${named} there are ${findElements(named).length}.`);
    return first;
  };
  return { html, policy, all: findElements, one: findElement };
}

/** Creates a published site of one space with two files, and a function that renders pages of it. */
export async function createDrawingSite() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320"/>';
  const files = [
    { name: 'picture.svg', contentType: 'image/svg+xml', base64: btoa(svg) },
    { name: 'data.csv', contentType: 'text/csv', base64: 'QQ==' },
  ];
  const { insertedFiles } = await json<{ insertedFiles: { id: string }[] }>(`/v1/spaces/${space.id}/content`, {
    token: space.token,
    body: { changes: [{ operation: 'insert_files', files }] },
  });
  const [picture = '', data = ''] = insertedFiles.map(({ id }) => `/files/${id}`);
  await makePage(space, 'Home');
  const { base } = await createPublishedSite({ organization, spaces: [space.id] });
  let count = 0;
  const draw = async (markdown: string): Promise<DrawnPage> => {
    count += 1;
    await makePage(space, `Page ${count}`, markdown);
    const response = await platform().request(`${base}/page-${count}`);
    if (response.status !== 200) throw new Error(`The page answers ${response.status}.`);
    return read(await response.text(), response.headers.get('content-security-policy') ?? '');
  };
  return { picture, data, draw };
}
