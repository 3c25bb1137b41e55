import { isCondition } from '@octavo/expression';
import type { Settings } from '@octavo/runtime';
import type { CustomizationChanges, Issue } from '@octavo/schema';
import { invalid } from '@octavo/schema';

type Image = [place: string, url: string | null | undefined];

const themed = (place: string, urls: { light: string; dark: string } | null | undefined): Image[] => [
  [`${place}.light`, urls?.light],
  [`${place}.dark`, urls?.dark],
];

function fontFiles({ styling }: CustomizationChanges): Image[] {
  return (['font', 'headingFont', 'monospaceFont'] as const).flatMap((name) => {
    const font = styling?.[name];
    const faces = typeof font === 'object' ? (font?.fontFaces ?? []) : [];
    return faces.flatMap(({ sources }, face) =>
      sources.map(({ url }, index): Image => [`styling.${name}.fontFaces.${face}.sources.${index}.url`, url]),
    );
  });
}

const filesOf = (settings: CustomizationChanges): Image[] => [
  ...themed('favicon.icon', settings.favicon && 'icon' in settings.favicon ? settings.favicon.icon : undefined),
  ...themed('header.logo', settings.header?.logo),
  ...themed('footer.logo', settings.footer?.logo),
  ['socialPreview.url', settings.socialPreview?.url],
  ...fontFiles(settings),
];

/** Images and fonts come by https, or from this server, which may be reached without it. */
function faultsOfFiles(settings: CustomizationChanges, { OCTAVO_PUBLIC_URL: base }: Settings): Issue[] {
  const origin = new URL(base).origin;
  return filesOf(settings).flatMap(([place, url]) => {
    if (url == null || url.startsWith('https:') || new URL(url).origin === origin) return [];
    return [{ path: `body.${place}`, message: 'must be an https address' }];
  });
}

const faultsOfConditions = ({ header }: CustomizationChanges): Issue[] =>
  (header?.links ?? []).flatMap(({ condition }, index) =>
    condition === undefined || isCondition(condition)
      ? []
      : [{ path: `body.header.links.${index}.condition`, message: 'must be an expression over visitor.claims' }],
  );

/** @throws ApiError invalid */
export function requireSoundCustomization(settings: CustomizationChanges, env: Settings): void {
  const faults = [...faultsOfFiles(settings, env), ...faultsOfConditions(settings)];
  if (faults.length > 0) throw invalid(faults.slice(0, 20));
}
