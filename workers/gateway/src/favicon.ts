/** An open book. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f3a5f"/><path d="M16 9v16M16 9c-3-2-7-2-10-1v15c3-1 7-1 10 2 3-3 7-3 10-2V8c-3-1-7-1-10 1z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>`;

export const favicon = (): Response =>
  new Response(picture, { headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' } });
