import { dataOf, nodesOf, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

const maxTags = 20;

const dayOf = (date: string, locale: string): string =>
  Number.isNaN(Date.parse(date))
    ? date
    : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));

/** What has changed, by its days. */
export const Updates: NodeComponent = ({ node, at }) => (
  <div class="updates">
    {nodesOf(node).map((update) => {
      const data = dataOf(update);
      const date = textOf(data, 'date') ?? '';
      const tags = (Array.isArray(data.tags) ? data.tags : []) as { tag?: unknown }[];
      return (
        <section id={at.updates.get(update)}>
          <p class="when">
            <time dateTime={date}>{dayOf(date, at.view.site.language)}</time>
            {tags.slice(0, maxTags).map(({ tag }) => (
              <span class="tag">{String(tag ?? '')}</span>
            ))}
          </p>
          <div>{at.blocks(nodesOf(update))}</div>
        </section>
      );
    })}
  </div>
);
