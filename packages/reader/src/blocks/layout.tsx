import { slugify } from '@octavo/markdown/anchors';
import type { ComponentChildren } from 'preact';
import type { NodeComponent, RenderContext } from '../context.ts';
import { formatDate } from '../context.ts';
import type { PageNode } from '../document.ts';
import { getData, getFragment, getNodes, getText, toClass, toPlainText } from '../document.ts';
import { Anchors, Icon } from '../elements.tsx';

/** Returns the width of a column as a percentage. */
function getColumnWidth(column: PageNode): number | undefined {
  const { width } = getData(column);
  const { unit, value } = (typeof width === 'object' && width !== null ? width : {}) as {
    unit?: string;
    value?: number;
  };
  return unit === '%' && typeof value === 'number' && value > 0 && value <= 100 ? value : undefined;
}

const alignments: Record<string, string> = { middle: 'center', bottom: 'end' };

/** Columns, stacked on narrow screens. */
export const Columns: NodeComponent = ({ node, context }) => {
  const columns = getNodes(node);
  const shares = columns.map((column) => `minmax(0,${getColumnWidth(column) ?? Math.round(100 / columns.length)}fr)`);
  const grid = context.sheet.addClass(`--columns:${shares.join(' ')}`);
  return (
    <div class={`columns ${grid}`}>
      {columns.map((column) => {
        const { verticalAlignment } = getData(column);
        const align = alignments[String(verticalAlignment)];
        return (
          <div {...(align === undefined ? {} : { class: context.sheet.addClass(`align-self:${align}`) })}>
            {context.blocks(getNodes(column))}
          </div>
        );
      })}
    </div>
  );
};

const getTitle = (item: PageNode, index: number): string => getText(getData(item), 'title') ?? String(index + 1);

/**
 * Returns the name by which the URL fragment identifies a tab or step: from its slug, else its title, else its number.
 */
const getAnchorName = (item: PageNode, index: number): string =>
  `tab-${slugify(getText(getData(item), 'slug') ?? getTitle(item, index)) || index + 1}`;

/** Tabs. Without scripts, all panels are shown below each other with their titles. */
export const Tabs: NodeComponent = ({ node, context }) => (
  <tab-set {...toClass('tabs', getData(node).fullWidth === true && 'full')}>
    {getNodes(node).map((item, index) => (
      <section id={context.anchor(getAnchorName(item, index))} data-title={getTitle(item, index)}>
        <p class="tab-title">
          <Icon context={context} name={getText(getData(item), 'icon')} />
          {getTitle(item, index)}
        </p>
        {context.blocks(getNodes(item))}
      </section>
    ))}
  </tab-set>
);

/** Numbered steps. A step may have an icon instead of its number. */
export const Stepper: NodeComponent = ({ node, context }) => (
  <ol class="stepper">
    {getNodes(node).map((step) => {
      const icon = <Icon context={context} name={getText(getData(step), 'icon')} />;
      return (
        <li {...toClass(getText(getData(step), 'icon') !== undefined && 'signed')}>
          {icon}
          {context.blocks(getNodes(step))}
        </li>
      );
    })}
  </ol>
);

/** A collapsed block that opens when its title is clicked or the URL fragment points to it. */
export const Expandable: NodeComponent = ({ node, context }) => {
  const title = getFragment(node, 'expandable-title').flatMap(getNodes);
  const words = toPlainText(title).trim();
  const name = slugify(words);
  return (
    <details
      class="expandable"
      open={getData(node).defaultExpanded === true}
      {...(name === '' ? {} : { id: context.anchor(name) })}
    >
      <summary>
        <Anchors ids={context.headings.aliases.get(node) ?? []} />
        {words === '' ? '…' : context.inlines(title)}
      </summary>
      <div>{context.blocks(getFragment(node, 'expandable-body'))}</div>
    </details>
  );
};

/** A prompt for an AI assistant: a description that expands to the text to copy. */
export const Prompt: NodeComponent = ({ node, context }): ComponentChildren => {
  const data = getData(node);
  const text = getNodes(node)
    .flatMap(getNodes)
    .map((line) => toPlainText([line]))
    .join('\n');
  return (
    <details class="expandable prompt" open={['partial', 'full'].includes(String(data.defaultExpanded))}>
      <summary>
        <Icon context={context} name={getText(data, 'icon') ?? 'wand-magic-sparkles'} />
        <span>{getText(data, 'description') ?? context.texts.prompt}</span>
      </summary>
      <code-block data-copy={context.texts.copy} data-copied={context.texts.copied}>
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </code-block>
    </details>
  );
};

const maxTags = 20;

const styles: Record<string, Intl.DateTimeFormatOptions['dateStyle']> = { short: 'medium', numeric: 'short' };

const toDateTime = (date: string, locale: string, format: string): string =>
  Number.isNaN(Date.parse(date)) ? date : formatDate(date, locale, styles[format]);

interface Props {
  update: PageNode;
  format: string;
  context: RenderContext;
}

function Update({ update, format, context }: Props): ComponentChildren {
  const data = getData(update);
  const date = getText(data, 'date') ?? '';
  const tags = (Array.isArray(data.tags) ? data.tags : []) as { tag?: unknown }[];
  const id = context.updates.get(update);
  return (
    <section id={id}>
      <p class="when">
        <a href={`#${id}`}>
          <time dateTime={date}>{toDateTime(date, context.view.site.language, format)}</time>
        </a>
        {tags.slice(0, maxTags).map((tag) => (
          <span class="tag">{context.view.resolve(tag)?.title ?? String(tag.tag ?? '')}</span>
        ))}
      </p>
      <div>{context.blocks(getNodes(update))}</div>
    </section>
  );
}

/** A changelog: updates by date. */
export const Updates: NodeComponent = ({ node, context }) => (
  <div class="updates">
    {getNodes(node).map((update) => (
      <Update update={update} format={getText(getData(node), 'format') ?? 'full'} context={context} />
    ))}
  </div>
);
