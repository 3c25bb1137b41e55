import type { SchemaDocumentation } from '../documentation.ts';

const block = {
  id: 'station',
  title: 'Weather station',
  description: 'The current weather at a station',
  urlUnfurl: ['https://weather.example.com/stations/**'],
  markdown: { codeblock: 'weather', body: 'content' },
} as const;

const contentSource = {
  id: 'stations',
  title: 'Weather stations',
  description: 'A page for each station',
  configuration: { componentId: 'stations' },
} as const;

const property = {
  type: 'string',
  title: 'API key',
  description: 'The key of the weather service',
  secret: true,
} as const;
const configuration = { properties: { key: property }, required: ['key'] } as const;

/** The parts of an integration that its author describes. */
export const manifest = {
  title: 'Weather',
  description: 'Shows the weather in your documentation',
  target: 'space',
  visibility: 'private',
  scopes: ['space:content:read'],
  categories: ['content'],
  blocks: [block],
  contentSources: [contentSource],
  configurations: { account: configuration },
  externalLinks: [{ url: 'https://weather.example.com/docs', label: 'ResourceDocumentation' }],
} as const;

/** The schemas that a description of an integration consists of. */
export const manifestParts: Record<string, SchemaDocumentation> = {
  IntegrationScope: {
    description: 'A permission of an integration where it is installed.',
    example: 'space:content:read',
  },
  IntegrationEvents: {
    description: 'The types of events that an integration receives.',
    example: ['change_request.merged'],
  },
  IntegrationTarget: {
    description:
      'The kind of object on which an integration can be installed within an organization. `all`: spaces and sites. ' +
      '`organization`: neither, only the organization itself.',
    example: 'space',
  },
  IntegrationVisibility: {
    description:
      'The users who can find an integration. `private`: members of the owner. `unlisted`: everyone who knows the ' +
      'name. `public`: everyone.',
    example: 'private',
  },
  IntegrationCategory: { description: 'A category in which people find an integration.', example: 'content' },
  IntegrationBlock: {
    description: 'A block that an integration adds to the editor.',
    properties: {
      id: 'The id of the block, which is also the id of the component that renders it.',
      title: 'The name of the block.',
      description: 'A short description. Absent if there is none.',
      icon: 'The URL or name of the icon. Absent if there is none.',
      urlUnfurl: 'URL patterns. A pasted URL that matches one becomes this block.',
      markdown: 'The form of the block in Markdown. Absent if it has none.',
      'markdown.codeblock': 'The language of the code block that represents the block.',
      'markdown.body': 'The name of the prop that contains the text of the code block.',
    },
    example: block,
  },
  IntegrationContentSource: {
    description: 'A source from which an integration generates pages.',
    properties: {
      id: 'The id of the source.',
      title: 'The name of the source.',
      description: 'A short description. Absent if there is none.',
      icon: 'The URL or name of the icon. Absent if there is none.',
      configuration: 'The component with which people choose the props of a generated page.',
      'configuration.componentId': 'The id of the component.',
    },
    example: contentSource,
  },
  ConfigurationProperty: {
    description:
      'A property of a configuration: a string, a number, a boolean, or a button. Unknown fields are rejected.',
    properties: {
      title: 'The label of the property.',
      description: 'A short description.',
      type: 'The type of the value.',
      default: 'The value that applies if none is set.',
      completion_url: 'A URL that suggests values.',
      enum: 'The allowed values.',
      secret:
        'Whether the value is never returned. A change that omits it keeps the value. An extension of this server.',
      callback_url: 'The URL that the button opens.',
      button_text: 'The text of the button.',
    },
    example: property,
  },
  IntegrationConfiguration: {
    description:
      'The configuration that an installation requires: a list of properties, or a component that collects it.',
    properties: {
      properties: 'The properties, by name.',
      required: 'The names of the properties that must be set before the installation becomes active.',
      componentId: 'The id of the component that collects the configuration.',
    },
    example: configuration,
  },
  IntegrationConfigurations: {
    description: 'The configurations that an integration requires.',
    properties: {
      account: 'The configuration of an installation in an organization.',
      space: 'The configuration of an installation on a space.',
      site: 'The configuration of an installation on a site.',
    },
    example: { account: configuration },
  },
  ExternalLink: {
    description: 'A link to more information about an integration.',
    properties: { url: 'The URL of the page.', label: 'The text of the link.' },
    example: manifest.externalLinks[0],
  },
  ContentSecurityPolicy: {
    description: 'A Content-Security-Policy, as one string or by directive.',
    example: { 'connect-src': 'https://weather.example.com' },
  },
};
