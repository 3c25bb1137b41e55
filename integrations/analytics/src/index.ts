import { defineIntegration } from '@octavo/integration';
import { loaderOf } from './loader.ts';

export default defineIntegration({
  publishedScript: (_event, { environment: { integration, siteInstallation } }) => {
    const { script_url: address, id, cookies } = siteInstallation?.configuration ?? {};
    if (typeof address !== 'string' || typeof id !== 'string' || !isSecure(address)) return undefined;
    const mayUseCookies = cookies === true && integration.scopes.includes('site:script:cookies');
    return loaderOf({ address, id, mayUseCookies });
  },
});

const isSecure = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === 'https:';
