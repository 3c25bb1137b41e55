import { slugify } from '@octavo/markdown';
import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import { classesOf, dataOf, fragmentOf, nodesOf, plainText, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { dayOf } from '../drawing.ts';
import { Icon } from '../elements.tsx';

/** Returns the width of a column as a percentage. */
function shareOf(column: ShownNode): number | undefined {
  const { width } = dataOf(column);
  const { unit, value } = (typeof width === 'object' && width !== null ? width : {}) as {
    unit?: string;
    value?: number;
  };
  return unit === '%' && typeof value === 'number' && value > 0 && value <= 100 ? value : undefined;
}

const alignments: Record<string, string> = { middle: 'center', bottom: 'end' };

/** Columns, stacked on narrow screens. */
export const Columns: NodeComponent = ({ node, at }) => {
  const columns = nodesOf(node);
  const shares = columns.map((column) => `minmax(0,${shareOf(column) ?? Math.round(100 / columns.length)}fr)`);
  const grid = at.sheet.classOf(`--columns:${shares.join(' ')}`);
  return (
    <div class={`columns ${grid}`}>
      {columns.map((column) => {
        const { verticalAlignment } = dataOf(column);
        const align = alignments[String(verticalAlignment)];
        return (
          <div {...(align === undefined ? {} : { class: at.sheet.classOf(`align-self:${align}`) })}>
            {at.blocks(nodesOf(column))}
          </div>
        );
      })}
    </div>
  );
};

const titleOf = (item: ShownNode, index: number): string => textOf(dataOf(item), 'title') ?? String(index + 1);

/** Returns the name of a tab or step in the URL fragment, if it has one. */
const nameOf = (item: ShownNode, index: number): string =>
  `tab-${slugify(textOf(dataOf(item), 'slug') ?? titleOf(item, index)) || index + 1}`;

/** Tabs. Without scripts, all panels are shown below each other with their titles. */
export const Tabs: NodeComponent = ({ node, at }) => (
  <tab-set {...classesOf('tabs', dataOf(node).fullWidth === true && 'full')}>
    {nodesOf(node).map((item, index) => (
      <section id={at.anchor(nameOf(item, index))} data-title={titleOf(item, index)}>
        <p class="tab-title">
          <Icon at={at} name={textOf(dataOf(item), 'icon')} />
          {titleOf(item, index)}
        </p>
        {at.blocks(nodesOf(item))}
      </section>
    ))}
  </tab-set>
);

/** Numbered steps. A step may have an icon instead of its number. */
export const Stepper: NodeComponent = ({ node, at }) => (
  <ol class="stepper">
    {nodesOf(node).map((step) => {
      const icon = <Icon at={at} name={textOf(dataOf(step), 'icon')} />;
      return (
        <li {...classesOf(textOf(dataOf(step), 'icon') !== undefined && 'signed')}>
          {icon}
          {at.blocks(nodesOf(step))}
        </li>
      );
    })}
  </ol>
);

/** A collapsed block that opens when its title is clicked or the URL fragment points to it. */
export const Expandable: NodeComponent = ({ node, at }) => {
  const title = fragmentOf(node, 'expandable-title').flatMap(nodesOf);
  const words = plainText(title).trim();
  const name = slugify(words);
  return (
    <details
      class="expandable"
      open={dataOf(node).defaultExpanded === true}
      {...(name === '' ? {} : { id: at.anchor(name) })}
    >
      <summary>{words === '' ? '…' : at.inlines(title)}</summary>
      <div>{at.blocks(fragmentOf(node, 'expandable-body'))}</div>
    </details>
  );
};

/** A prompt for an AI assistant: a description and the text to copy, of which the author may show only a part. */
export const Prompt: NodeComponent = ({ node, at }): ComponentChildren => {
  const data = dataOf(node);
  const text = nodesOf(node)
    .flatMap(nodesOf)
    .map((line) => plainText([line]))
    .join('\n');
  return (
    <details class="expandable prompt" open={['partial', 'full'].includes(String(data.defaultExpanded))}>
      <summary>
        <Icon at={at} name={textOf(data, 'icon') ?? 'wand-magic-sparkles'} />
        <span>{textOf(data, 'description') ?? at.texts.prompt}</span>
      </summary>
      <code-block data-copy={at.texts.copy} data-copied={at.texts.copied}>
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </code-block>
    </details>
  );
};

const maxTags = 20;

const styles: Record<string, Intl.DateTimeFormatOptions['dateStyle']> = { short: 'medium', numeric: 'short' };

const written = (date: string, locale: string, format: string): string =>
  Number.isNaN(Date.parse(date)) ? date : dayOf(date, locale, styles[format]);

interface Props {
  update: ShownNode;
  format: string;
  at: PageDrawing;
}

function Update({ update, format, at }: Props): ComponentChildren {
  const data = dataOf(update);
  const date = textOf(data, 'date') ?? '';
  const tags = (Array.isArray(data.tags) ? data.tags : []) as { tag?: unknown }[];
  const id = at.updates.get(update);
  return (
    <section id={id}>
      <p class="when">
        <a href={`#${id}`}>
          <time dateTime={date}>{written(date, at.view.site.language, format)}</time>
        </a>
        {tags.slice(0, maxTags).map((tag) => (
          <span class="tag">{at.view.resolve(tag)?.title ?? String(tag.tag ?? '')}</span>
        ))}
      </p>
      <div>{at.blocks(nodesOf(update))}</div>
    </section>
  );
}

/** A changelog: updates by date. */
export const Updates: NodeComponent = ({ node, at }) => (
  <div class="updates">
    {nodesOf(node).map((update) => (
      <Update update={update} format={textOf(dataOf(node), 'format') ?? 'full'} at={at} />
    ))}
  </div>
);
