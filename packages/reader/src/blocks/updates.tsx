import type { ComponentChildren } from 'preact';
import { dayOf } from '../dates.ts';
import { dataOf, nodesOf, type ShownNode, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';

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

/** What has changed, by its days. */
export const Updates: NodeComponent = ({ node, at }) => (
  <div class="updates">
    {nodesOf(node).map((update) => (
      <Update update={update} format={textOf(dataOf(node), 'format') ?? 'full'} at={at} />
    ))}
  </div>
);
