const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** HTML that is safe to put into HTML as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template of HTML whose values are escaped, unless they are `Html` themselves. */
export const html = (parts: TemplateStringsArray, ...values: (string | number | Html)[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(textOf)));

const textOf = (value: string | number | Html): string =>
  value instanceof Html ? value.text : String(value).replace(/[&<>"']/g, (char) => escapes[char] ?? char);

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page of the platform itself: no scripts, never kept by a cache, never framed. Its heading is its title. */
export function htmlPage({ title, body, status = 200 }: { title: string; body: Html; status?: number }): Response {
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 15vh auto; padding: 0 1.5rem; color: #1c2430 }
  code { background: #f0f2f5; padding: .15em .4em; border-radius: .3em; overflow-wrap: anywhere }
  button { font: inherit; padding: .5em 1.2em; border: 0; border-radius: .4em; background: #1f5fd6; color: #fff; cursor: pointer }
</style>
<h1>${title}</h1>
${body}
</html>`;
  return new Response(page.text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
    },
  });
}
