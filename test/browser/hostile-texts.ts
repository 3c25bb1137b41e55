/** Code that reports an execution to the page. `@` is replaced by the name of the text. */
const call = "window.hit('@')";

/** Texts that vulnerable software executes as script, by attack. `@` is replaced by the name of the text. */
const ways: Record<string, string> = {
  'a script': `<script>${call}</script>`,
  'a script that ends another': `</script><script>${call}</script>`,
  'a script after a title': `</title><script>${call}</script>`,
  'a script after a style': `</style><script>${call}</script>`,
  'a script after a comment': `--><script>${call}</script><!--`,
  'a script in a template': `<template><script>${call}</script></template>`,
  'a script by its address': `<script src="data:text/javascript,${call}"></script>`,
  'a module': `<script type="module">${call}</script>`,
  'a handler of an image': `<img src=x onerror="${call}">`,
  'a handler without quotes': `<img src=x onerror=${call}>`,
  'a handler behind a slash': `<img/src=x/onerror=${call}>`,
  'a handler in capitals': `<IMG SRC=x ONERROR="${call}">`,
  'a handler behind a quote': `"><img src=x onerror="${call}">`,
  'a handler behind an apostrophe': `'><img src=x onerror='${call.replaceAll("'", '"')}'>`,
  'a handler in an attribute': `" onmouseover="${call}" autofocus onfocus="${call}" x="`,
  'a handler with a line break': `<img src=x onerror\n=\n"${call}">`,
  'a handler of a picture': `<svg onload="${call}"></svg>`,
  'a script of a picture': `<svg><script>${call}</script></svg>`,
  'an animation of a link': `<svg><a><animate attributeName=href values="javascript:${call}" /><text x=9 y=9>x</text></a></svg>`,
  'a setting of a link': `<svg><set attributeName=href to="javascript:${call}" /></svg>`,
  'a foreign object': `<svg><foreignObject><iframe srcdoc="<script>parent.hit('@')</script>"></iframe></foreignObject></svg>`,
  'a used picture': `<svg><use href="data:image/svg+xml,<svg id='x' onload='${call}'/>#x"/></svg>`,
  'a formula that changes': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${call}&gt;">`,
  'a picture that changes': `<svg></p><style><a id="</style><img src=x onerror=${call}>">`,
  'a form that changes': `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${call}>`,
  'a text without markup': `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  'a plain text': `<xmp><p title="</xmp><img src=x onerror=${call}>">`,
  'a select': `<select><style></select><img src=x onerror=${call}></style>`,
  'a frame': `<iframe src="javascript:parent.hit('@')"></iframe>`,
  'a frame of a text': `<iframe srcdoc="<script>parent.hit('@')</script>"></iframe>`,
  'an object': `<object data="javascript:${call}"></object><embed src="javascript:${call}">`,
  'a base': '<base href="https://evil.example/">',
  'a refresh': `<meta http-equiv="refresh" content="0;url=javascript:${call}">`,
  'a style sheet': '<link rel="stylesheet" href="https://evil.example/x.css">',
  'a style': '<style>@import "https://evil.example/x.css"; *{background:url(https://evil.example/y)}</style>',
  'an inline style': '<p style="background:url(https://evil.example/y);position:fixed">x</p>',
  'a form': `<form action="javascript:${call}"><button autofocus>x</button></form>`,
  'a button of a form': `<form id=f></form><button form=f formaction="javascript:${call}">x</button>`,
  'a video': `<video><source onerror="${call}"></video><audio src=x onerror="${call}"></audio>`,
  'a details element': `<details open ontoggle="${call}"><summary>x</summary></details>`,
  'an element of ours': `<site-search data-results="//evil.example/x"></site-search><code-copy onclick="${call}"></code-copy>`,
  'a hidden name': '<img name="getElementById"><form id="querySelectorAll"><input name="body"></form>',
  'an expression': `{{constructor.constructor("${call}")()}} \${${call}} <%= 1 %> #{1}`,
  'a link that runs': `<a href="javascript:${call}">x</a>`,
  'a link with a tab': `<a href="java\tscript:${call}">x</a>`,
  'a link by entities': `<a href="&#106;avascript&colon;${call}">x</a>`,
  'a link to data': `<a href="data:text/html,<script>opener.hit('@')</script>">x</a>`,
};

/** URLs that execute script when opened. */
const addresses: Record<string, string> = {
  plain: `javascript:${call}`,
  capitals: `JaVaScRiPt:${call}`,
  'a control character': `\u0001javascript:${call}`,
  'a line break': `java\nscript:${call}`,
  entities: `javascript&colon;${call}`,
  data: `data:text/html;base64,${Buffer.from("<script>opener.hit('@')</script>").toString('base64')}`,
  'a script of old': `vbscript:${call}`,
  'a view of a source': `view-source:javascript:${call}`,
};

const replacePlaceholders = (texts: Record<string, string>): string[] =>
  Object.entries(texts).map(([name, text]) => text.replaceAll('@', name));

export const hostileTexts = replacePlaceholders(ways);
export const hostileAddresses = replacePlaceholders(addresses);
