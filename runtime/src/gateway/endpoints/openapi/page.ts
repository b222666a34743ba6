import type { OpenApiDocument } from './document.js';

interface ShownParameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Record<string, unknown>;
  example: unknown;
}

interface ShownContent {
  schema?: Record<string, unknown>;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface ShownOperation {
  tags: string[];
  summary: string;
  description: string;
  parameters: ShownParameter[];
  requestBody?: { required: boolean; content: Record<string, ShownContent> };
  responses: Record<string, { description: string; content?: Record<string, ShownContent> }>;
}

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1rem}
h2{margin-top:2.5rem;border-bottom:1px solid #8886}
details{border:1px solid #8886;border-radius:.4rem;margin:.5rem 0;padding:.4rem .8rem}
summary{cursor:pointer;overflow-wrap:anywhere}
.method{display:inline-block;min-width:3.2rem;font-weight:700}
code,pre{font:13px/1.45 ui-monospace,monospace}
pre{overflow:auto;background:#8881;padding:.6rem;border-radius:.3rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #8883}`;

/** The document as one HTML page that loads nothing else, so that it works without a network. */
export function openApiPage(document: OpenApiDocument): string {
  const { info, paths, tags, components } = document as unknown as {
    info: { title: string; version: string; description: string };
    paths: Record<string, Record<string, ShownOperation>>;
    tags: { name: string }[];
    components: { schemas: Record<string, Record<string, unknown>> };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const chapters = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${idOf(name)}">${text(name)}</h2>${own.map(operationHtml).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary><code>${name}</code> ${text(schema.description ?? '')}</summary>${code(schema)}</details>`,
  );
  const contents = [...tags.map(({ name }) => name), 'Schemas'].map(
    (name) => `<a href="#${idOf(name)}">${text(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${text(info.title)}</title><style>${STYLE}</style></head>
<body><h1>${text(info.title)} ${text(info.version)}</h1><p>${text(info.description)}</p>
<p><a href="/aip/v1/openapi.json">openapi.json</a></p><nav>${contents.join(' · ')}</nav>
${chapters.join('\n')}
<h2 id="schemas">Schemas</h2>${schemas.join('\n')}
</body></html>
`;
}

function operationHtml(shown: { path: string; method: string; operation: ShownOperation }): string {
  const { path, method, operation } = shown;
  const parameters = operation.parameters.map(
    ({ name, in: place, required, description, schema, example }) =>
      `<tr><td><code>${text(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${text(typeOf(schema))}</td><td>${text(description ?? '')} <code>${text(JSON.stringify(example))}</code></td></tr>`,
  );
  const body = Object.entries(operation.requestBody?.content ?? {}).slice(0, 1);
  const responses = Object.entries(operation.responses).map(([status, { description, content }]) => {
    const [media] = Object.values(content ?? {});
    return `<tr><td>${status}</td><td>${text(description)} ${schemaLink(media)}</td></tr>`;
  });
  const example = Object.values(operation.responses['200']?.content ?? {})[0]?.example;
  return `<details id="${idOf(`${method}-${path}`)}"><summary><span class="method">${method.toUpperCase()}</span><code>${text(path)}</code> ${text(operation.summary)}</summary>
<p>${text(operation.description)}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4><div class="wide"><table>${parameters.join('')}</table></div>`}
${body.map(([, media]) => `<h4>Body ${schemaLink(media)}</h4>${code(media.example)}`).join('')}
<h4>Responses</h4><div class="wide"><table>${responses.join('')}</table></div>${example === undefined ? '' : code(example)}</details>`;
}

function schemaLink(media: ShownContent | undefined): string {
  const name = String(media?.schema?.$ref ?? '')
    .split('/')
    .at(-1);
  return name ? `<a href="#schema-${name}"><code>${name}</code></a>` : '';
}

function typeOf({ type, enum: words, items, pattern }: Record<string, unknown>): string {
  if (Array.isArray(words)) return words.join(' | ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Record<string, unknown>)}`;
  return `${type ?? 'text'}${pattern === undefined ? '' : ` ${pattern}`}`;
}

function code(value: unknown): string {
  return `<pre>${text(JSON.stringify(value, null, 2))}</pre>`;
}

function idOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function text(value: unknown): string {
  return String(value).replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
