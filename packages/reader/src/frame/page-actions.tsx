import type { ComponentChildren } from 'preact';
import { hrefOf, type PageDrawing } from '../drawing.ts';
import { Anchor } from './anchor.tsx';

/** Where a question about a page can be asked. */
const assistants: [name: string, address: string][] = [
  ['ChatGPT', 'https://chatgpt.com/?q='],
  ['Claude', 'https://claude.ai/new?q='],
];

/** The place of a page as markdown. */
export const markdownPlaceOf = ({ view: { at, base } }: PageDrawing): string =>
  `${at === base ? `${base}index` : at}.md`;

function Markdown({ at }: { at: PageDrawing }): ComponentChildren {
  const href = hrefOf(at.view, markdownPlaceOf(at));
  return (
    <>
      <li>
        <copy-text data-from={href} data-copy={at.texts.copyPage} data-copied={at.texts.copied} />
      </li>
      <li>
        <Anchor at={at} to={markdownPlaceOf(at)}>
          {at.texts.viewMarkdown}
        </Anchor>
      </li>
    </>
  );
}

/** Addresses of pages that not everybody may read are told to nobody. */
function Assistants({ at }: { at: PageDrawing }): ComponentChildren {
  const { site } = at.view;
  if (!site.isIndexed) return null;
  const question = `Read ${site.url}${markdownPlaceOf(at)} and answer questions about it.`;
  return assistants.map(([name, address]) => (
    <li>
      <Anchor at={at} to={`${address}${encodeURIComponent(question)}`}>
        {at.texts.openIn.replace('{name}', name)}
      </Anchor>
    </li>
  ));
}

const Mcp = ({ at }: { at: PageDrawing }): ComponentChildren => (
  <li>
    <copy-text data-text={`${at.view.site.url}~/mcp`} data-copy={at.texts.copyMcp} data-copied={at.texts.copied} />
  </li>
);

/** This page, and all that the space shows, to be printed. */
function Pdfs({ at }: { at: PageDrawing }): ComponentChildren {
  const { base, page } = at.view;
  const links = [
    [at.texts.pdfPage, `${base}~/pdf?page=${encodeURIComponent(page.id)}`],
    [at.texts.pdfAll, `${base}~/pdf`],
  ] as const;
  return links.map(([words, to]) => (
    <li>
      <Anchor at={at} to={to} rel="nofollow">
        {words}
      </Anchor>
    </li>
  ));
}

type Action = (props: { at: PageDrawing }) => ComponentChildren;

/** What is for agents, and so there where these may read the site. */
const actions: Record<string, Action> = {
  markdown: Markdown,
  'external-ai': Assistants,
  mcp: Mcp,
};

function actionsOf({ site }: PageDrawing['view']): Action[] {
  const shown = site.isForAgents ? site.look.pageActions.items : [];
  const listed = shown.flatMap((item) => (Object.hasOwn(actions, item) ? (actions[item] ?? []) : []));
  return site.look.pdf.enabled ? [...listed, Pdfs] : listed;
}

/** What can be done with a page beside reading it, as the customization says. */
export function PageActions({ at }: { at: PageDrawing }): ComponentChildren {
  const { page } = at.view;
  const shown = actionsOf(at.view);
  if (page.id === '' || !page.layout.actions || shown.length === 0) return null;
  return (
    <details class="drop actions">
      <summary>{at.texts.actions}</summary>
      <ul>
        {shown.map((Shown) => (
          <Shown at={at} />
        ))}
      </ul>
    </details>
  );
}
