import type { Site, SiteCustomization } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api, get } from '../api.ts';
import { usePlace } from '../session.ts';
import { ActionForm, Field, SelectField } from '../ui/dialog.tsx';
import { ImageField } from '../ui/image-field.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { mergeSettings } from './merge-settings.ts';
import { SiteSample } from './site-sample.tsx';

interface AppearanceProps {
  site: Site;
  /** The path of the site in the API. */
  path: string;
}

/** The colors, the logo and the theme of a site, with a sample that shows changes before they are saved. */
export function AppearanceSection({ site, path }: AppearanceProps): VNode {
  const customization = useApi<SiteCustomization>(`${path}/customization`);
  return (
    <section>
      <h2>Appearance</h2>
      <LoadedContent loaded={customization} lines={6}>
        {(value) => (
          <AppearanceForm
            key={String(value.updatedAt)}
            {...{ site, path, saved: value }}
            reload={customization.reload}
          />
        )}
      </LoadedContent>
    </section>
  );
}

interface AppearanceFormProps extends AppearanceProps {
  saved: SiteCustomization;
  reload: () => Promise<void>;
}

/** The settings of the form, which are a part of a customization. */
type Appearance = Pick<SiteCustomization, 'styling' | 'header' | 'themes'>;

const themes: Choice[] = [
  ['clean', 'Clean'],
  ['muted', 'Muted'],
  ['bold', 'Bold'],
  ['gradient', 'Gradient'],
];
const headers: Choice[] = [
  ['default', 'Same as page'],
  ['bold', 'Primary color'],
  ['contrast', 'Text color'],
];
const corners: Choice[] = [
  ['straight', 'Straight'],
  ['rounded', 'Rounded'],
  ['circular', 'Round'],
];
const defaults: Choice[] = [
  ['system', 'Use system setting'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function AppearanceForm({ site, path, saved, reload }: AppearanceFormProps): VNode {
  const { styling: savedStyling, header: savedHeader, themes: savedThemes } = saved;
  const former: Appearance = { styling: savedStyling, header: savedHeader, themes: savedThemes };
  const [appearance, setAppearance] = useState(former);
  const { styling, header } = appearance;
  const { organization } = usePlace();
  const change = (part: Partial<Appearance>): void => setAppearance((current) => ({ ...current, ...part }));
  const save = async (): Promise<void> => {
    // Others may have changed other settings.
    const { updatedAt: _, ...latest } = await get<SiteCustomization>(`${path}/customization`);
    const body = mergeSettings(latest, former, removeEmptyLogo(appearance));
    await api('PUT', `${path}/customization`, { body });
    await reload();
    notify('Appearance saved');
  };
  return (
    <div class="appearance">
      <ActionForm
        submit="Save appearance"
        onSubmit={save}
        isDisabled={JSON.stringify(appearance) === JSON.stringify(former)}
      >
        <div class="field-columns">
          <ColorFields styling={styling} change={change} />
          <ThemeFields appearance={appearance} change={change} />
        </div>
        <LogoFields
          header={header}
          choose={(logo) => change({ header: { ...header, logo } })}
          organization={organization}
        />
      </ActionForm>
      <SiteSample title={site.title} styling={styling} header={header} />
    </div>
  );
}

type ChangeAppearance = (part: Partial<Appearance>) => void;

interface ColorFieldsProps {
  styling: Appearance['styling'];
  change: ChangeAppearance;
}

const ColorFields = ({ styling, change }: ColorFieldsProps): VNode => (
  <>
    {(['light', 'dark'] as const).map((scheme) => (
      <ColorField
        key={scheme}
        label={`Primary color, ${scheme}`}
        value={styling.primaryColor[scheme]}
        choose={(color) =>
          change({ styling: { ...styling, primaryColor: { ...styling.primaryColor, [scheme]: color } } })
        }
      />
    ))}
  </>
);

interface ThemeFieldsProps {
  appearance: Appearance;
  change: ChangeAppearance;
}

const ThemeFields = ({ appearance: { styling, header, themes: schemes }, change }: ThemeFieldsProps): VNode => (
  <>
    <ChoiceField
      label="Theme"
      choices={themes}
      value={styling.theme}
      choose={(theme) => change({ styling: { ...styling, theme } as Appearance['styling'] })}
    />
    <ChoiceField
      label="Header"
      choices={headers}
      value={header.preset}
      choose={(preset) => change({ header: { ...header, preset } as Appearance['header'] })}
    />
    <ChoiceField
      label="Corners"
      choices={corners}
      value={styling.corners}
      choose={(corner) => change({ styling: { ...styling, corners: corner } as Appearance['styling'] })}
    />
    <ChoiceField
      label="Light or dark"
      choices={defaults}
      value={schemes.default}
      choose={(scheme) => change({ themes: { ...schemes, default: scheme } as Appearance['themes'] })}
    />
  </>
);

/** Removes an empty logo. A single address is used in both themes. */
function removeEmptyLogo(appearance: Appearance): Appearance {
  const { logo, ...header } = appearance.header;
  const [light = '', dark = ''] = [logo?.light.trim(), logo?.dark.trim()];
  if (light === '' && dark === '') return { ...appearance, header };
  return { ...appearance, header: { ...header, logo: { light: light || dark, dark: dark || light } } };
}

interface ColorFieldProps {
  label: string;
  value: string;
  choose: (color: string) => void;
}

const isColor = (text: string): boolean => /^#(?:[\da-f]{3}){1,2}$/i.test(text);

/** Repeats each digit of a short color, because fields for colors accept only long ones. */
const toLongColor = (color: string): string =>
  color.length === 4 ? `#${[...color.slice(1)].map((digit) => digit + digit).join('')}` : color;

/** A color, which is chosen or typed. */
function ColorField({ label, value, choose }: ColorFieldProps): VNode {
  const [text, setText] = useState(value);
  const change = (color: string): void => {
    setText(color);
    if (isColor(color)) choose(color);
  };
  return (
    <Field label={label}>
      {(ids) => (
        <span class="color-field">
          <input
            type="color"
            aria-label={`Choose: ${label}`}
            value={toLongColor(value)}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          <input
            class="input"
            {...ids}
            value={text}
            spellcheck={false}
            maxLength={7}
            pattern="#([0-9a-fA-F]{3}){1,2}"
            title="A color such as #0b7285"
            onInput={({ currentTarget }) => change(currentTarget.value.trim())}
          />
        </span>
      )}
    </Field>
  );
}

type Choice = [value: string, label: string];

interface ChoiceFieldProps {
  label: string;
  choices: Choice[];
  value: string;
  choose: (value: string) => void;
}

/** A choice between values. A value that is set through the API and not offered here stays as it is. */
const ChoiceField = ({ label, choices, value, choose }: ChoiceFieldProps): VNode => (
  <SelectField label={label} value={value} onChange={choose}>
    {choices.map(([each, name]) => (
      <option key={each} value={each}>
        {name}
      </option>
    ))}
    {!choices.some(([each]) => each === value) && <option value={value}>{value}</option>}
  </SelectField>
);

interface LogoFieldsProps {
  header: SiteCustomization['header'];
  choose: (logo: { light: string; dark: string }) => void;
  organization: string | undefined;
}

/** The images of the logo. Without one, the header shows the title. */
function LogoFields({ header, choose, organization }: LogoFieldsProps): VNode {
  const { light, dark } = header.logo ?? { light: '', dark: '' };
  // The API has an image for each theme, even if it is the same.
  const ownDark = dark === light ? '' : dark;
  return (
    <>
      <ImageField
        label="Logo, light"
        hint="Upload an image, or enter its URL. Without a logo, the header shows the title."
        value={light}
        onChange={(chosen) => choose({ light: chosen, dark: ownDark })}
        organization={organization}
      />
      <ImageField
        label="Logo, dark"
        hint="Leave it empty to show the same logo in both themes."
        value={ownDark}
        onChange={(chosen) => choose({ light, dark: chosen })}
        organization={organization}
      />
    </>
  );
}
