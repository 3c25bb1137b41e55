import type { SiteCustomization } from '@octavo/schema';

/** The classes by which the styles draw what a customization sets beside colours. */
export function lookClassesOf({ styling }: SiteCustomization): string[] {
  const { theme, links, depth, search, sidebar } = styling;
  return [
    ...(theme === 'bold' || theme === 'gradient' ? [`theme-${theme}`] : []),
    ...(links === 'default' ? [] : [`links-${links}`]),
    ...(depth === 'subtle' ? [] : [`depth-${depth}`]),
    ...(search === 'subtle' ? [] : [`search-${search}`]),
    ...(sidebar.background === 'default' ? [] : [`sidebar-${sidebar.background}`]),
    ...(sidebar.list === 'default' ? [] : [`list-${sidebar.list}`]),
  ];
}
