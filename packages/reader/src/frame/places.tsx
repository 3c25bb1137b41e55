import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import type { SectionTab } from '../view.ts';
import { Anchor } from './anchor.tsx';
import { Sign } from './icon.tsx';

function Tab({ tab, at }: { tab: SectionTab; at: PageDrawing }): ComponentChildren {
  const label = (
    <>
      <Sign at={at} of={tab} />
      <span>{tab.title}</span>
    </>
  );
  if (tab.children.length === 0)
    return (
      <li>
        <Anchor at={at} to={tab.to} isCurrent={tab.isCurrent}>
          {label}
        </Anchor>
      </li>
    );
  const isCurrent = tab.children.some((child) => child.isCurrent);
  return (
    <li>
      <details class={isCurrent ? 'drop current' : 'drop'}>
        <summary>{label}</summary>
        <ul>
          {tab.children.map((child) => (
            <Tab tab={child} at={at} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** The sections of the site. */
export const Sections = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.sections.length === 0 ? null : (
    <nav class="sections" aria-label={at.texts.sections}>
      <ul>
        {at.view.sections.map((tab) => (
          <Tab tab={tab} at={at} />
        ))}
      </ul>
    </nav>
  );

/** Other versions or languages of what is read. */
export const Variants = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { variants } = at.view;
  if (variants.length < 2) return null;
  return (
    <nav class="variants" aria-label={at.texts.variants}>
      <details class="drop">
        <summary>{variants.find(({ isCurrent }) => isCurrent)?.title ?? at.texts.variants}</summary>
        <ul>
          {variants.map((variant) => (
            <li>
              <Anchor at={at} to={variant.to} isCurrent={variant.isCurrent}>
                {variant.title}
              </Anchor>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
};

/** What the page stands under. */
export const Breadcrumbs = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.breadcrumbs.length === 0 ? null : (
    <nav class="breadcrumbs" aria-label={at.texts.breadcrumbs}>
      <ol>
        {at.view.breadcrumbs.map((each) => (
          <li>
            <Anchor at={at} to={each.to}>
              {each.title}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );

/** The pages before and behind this one. */
export const Neighbours = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { previous, next } = at.view;
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="neighbours" aria-label={at.texts.neighbours}>
      {previous !== undefined && (
        <Anchor at={at} to={previous.to} class="previous">
          <small>{at.texts.previous}</small>
          {previous.title}
        </Anchor>
      )}
      {next !== undefined && (
        <Anchor at={at} to={next.to} class="next">
          <small>{at.texts.next}</small>
          {next.title}
        </Anchor>
      )}
    </nav>
  );
};
