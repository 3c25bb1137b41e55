import { defineIntegration } from '@octavo/integration';

interface LoadedScript {
  address: string;
  id: string;
  mayUseCookies: boolean;
}

/** Formats a text as a JavaScript literal that is also safe inside an HTML element. */
const quoteForScript = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c');

/** Returns JavaScript that adds the script to a page, at most once. */
const getLoader = ({ address, id, mayUseCookies }: LoadedScript): string => `(() => {
  const address = ${quoteForScript(address)};
  for (const { src } of document.scripts) if (src === address) return;
  const script = document.createElement('script');
  script.src = address;
  script.async = true;
  script.dataset.id = ${quoteForScript(id)};
  script.dataset.cookies = ${quoteForScript(mayUseCookies ? 'allowed' : 'none')};
  document.head.append(script);
})();
`;

export default defineIntegration({
  publishedScript: (_event, { environment: { integration, siteInstallation } }) => {
    const { script_url: address, id, cookies } = siteInstallation?.configuration ?? {};
    if (typeof address !== 'string' || typeof id !== 'string' || !isSecure(address)) return undefined;
    const mayUseCookies = cookies === true && integration.scopes.includes('site:script:cookies');
    return getLoader({ address, id, mayUseCookies });
  },
});

const isSecure = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === 'https:';
