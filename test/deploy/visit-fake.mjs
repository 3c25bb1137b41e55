// Loaded into the command: requests to the platform's hosts go to the fake, because these hosts do not exist.
const { fetch } = globalThis;
const { CLOUDFLARE_API_BASE_URL: fake } = process.env;

globalThis.fetch = (input, init) => {
  const url = String(input);
  if (!/^https:\/\/[^/]+\.acme\.dev/.test(url)) return fetch(input, init);
  return fetch(fake, { headers: { ...init?.headers, 'octavo-visit': url } });
};
