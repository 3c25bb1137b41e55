import type { SiteVisibility } from '@octavo/schema';
import type { VNode } from 'preact';
import { SelectField } from '../ui/dialog.tsx';

/** The audiences of a site with their names, and who belongs to them. */
const visibilities: [value: SiteVisibility, name: string, readers: string][] = [
  ['public', 'Public', 'Everyone can read the site, and search engines may list it.'],
  ['unlisted', 'Unlisted', 'Everyone who knows the address can read the site.'],
  ['share-link', 'Share link', 'Everyone with an active share link can read the site.'],
  ['visitor-auth', 'Sign-in', 'Visitors sign in on your own page. Set up the page through the API first.'],
];

export const getVisibilityName = (visibility: SiteVisibility): string =>
  visibilities.find(([value]) => value === visibility)?.[1] ?? visibility;

interface VisibilityFieldProps {
  value: SiteVisibility;
  onChange: (visibility: SiteVisibility) => void;
}

/** A choice of who can read a site. */
export const VisibilityField = ({ value, onChange }: VisibilityFieldProps): VNode => (
  <SelectField
    label="Readers"
    hint={visibilities.find(([visibility]) => visibility === value)?.[2]}
    value={value}
    onChange={(chosen) => onChange(chosen as SiteVisibility)}
  >
    {visibilities.map(([visibility, name]) => (
      <option key={visibility} value={visibility}>
        {name}
      </option>
    ))}
  </SelectField>
);
