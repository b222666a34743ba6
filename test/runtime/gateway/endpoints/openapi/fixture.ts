import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument, parameterExample } from '#runtime/gateway/endpoints/openapi/document.js';
import { OPERATIONS, type Operation } from '#runtime/gateway/endpoints/openapi/operations.js';

const document = openApiDocument() as {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema?: object }> }> }>
  >;
  components: { schemas: Record<string, object> };
};

const ajv = new Ajv2020({ allowUnionTypes: true, strict: false, validateFormats: false });
ajv.addSchema({ $id: 'https://test/openapi', components: document.components });
const validators = new Map<string, ValidateFunction>();

/** The documented statuses of an operation. */
export function statusesOf({ path, method }: Operation): string[] {
  return Object.keys(document.paths[path]?.[method]?.responses ?? {});
}

/** Why a response is none that the document has for the operation, or undefined. */
export function problemOf(
  operation: Operation,
  status: number,
  contentType: string | null,
  text: string,
): string | undefined {
  const response = document.paths[operation.path]?.[operation.method]?.responses[status];
  if (!response) return `the status ${status} is not documented: ${text.slice(0, 300)}`;
  const media = (contentType ?? '').split(';')[0] as string;
  if (!response.content) return text === '' ? undefined : `a body came with ${status}`;
  const content = response.content[media];
  if (!content) return `the media type ${contentType} is not documented for ${status}`;
  if (media !== 'application/json' || !content.schema) return undefined;
  const key = `${operation.method} ${operation.path} ${status}`;
  const schema = JSON.parse(
    JSON.stringify(content.schema).replaceAll('"#/components', '"https://test/openapi#/components'),
  );
  const validate = validators.get(key) ?? ajv.compile(schema);
  validators.set(key, validate);
  return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)}: ${text.slice(0, 500)}`;
}

/** The URL path of an operation with its examples, or with the given values, in place of its parameters. */
export function pathOf(operation: Operation, values: Record<string, string> = {}): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameterExample(name, operation.pathParameters?.[name]?.schema ?? {});
    return encodeURIComponent(values[name] ?? String(example));
  });
}

export { document, OPERATIONS };
