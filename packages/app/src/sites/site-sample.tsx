import { getColors } from '@octavo/reader/colors';
import type { SiteCustomization } from '@octavo/schema';
import type { VNode } from 'preact';
import { getImageAddress } from '../ui/image-field.tsx';

interface SiteSampleProps extends Pick<SiteCustomization, 'styling' | 'header'> {
  title: string;
}

const radii = { straight: '0', rounded: '0.5rem', circular: '1rem' };

const schemes = ['light', 'dark'] as const;

/** A small page in the colors of a site, light and dark. */
export const SiteSample = (props: SiteSampleProps): VNode => (
  <div class="site-samples">
    {schemes.map((scheme) => (
      <SchemeSample key={scheme} scheme={scheme} {...props} />
    ))}
  </div>
);

function SchemeSample({
  title,
  styling,
  header,
  scheme,
}: SiteSampleProps & { scheme: (typeof schemes)[number] }): VNode {
  const colors = Object.entries(getColors({ styling, header }, scheme));
  const properties = Object.fromEntries(colors.map(([name, color]) => [`--${name}`, color]));
  const logo = getImageAddress(header.logo?.[scheme] || header.logo?.light || header.logo?.dark || '');
  return (
    <figure>
      <div class="site-sample" style={{ ...properties, '--radius': radii[styling.corners] }}>
        <div class="site-sample-head">{logo === undefined ? title : <img src={logo} alt={title} />}</div>
        <div class="site-sample-body">
          <ul>
            <li class="current">Introduction</li>
            <li>Install</li>
            <li>Settings</li>
          </ul>
          <div>
            <strong>Introduction</strong>
            <p>
              Text with a <span class="site-sample-link">link</span>.
            </p>
            <p class="site-sample-hint">A hint</p>
            <span class="site-sample-button">Button</span>
          </div>
        </div>
      </div>
      <figcaption>{scheme === 'light' ? 'Light' : 'Dark'}</figcaption>
    </figure>
  );
}
