/** The parts of a JSON document of exactly `bytes` bytes that looks like an OpenAPI document with very many paths. */
export function* openApiDocument(bytes: number): Generator<Buffer> {
  const head = '{"openapi":"3.1.0","paths":{';
  const tail = '},"x-pad":"';
  const end = '"}';
  let left = bytes - Buffer.byteLength(head + tail + end);
  let text = head;
  for (let index = 0; ; index += 1) {
    const path = `${index === 0 ? '' : ','}"/rest/objects/${index}":{"get":{"operationId":"find${index}","tags":["objects"],"responses":{"200":{"$ref":"#/components/responses/200"}}}}`;
    if (path.length > left) break;
    left -= path.length;
    text += path;
    if (text.length >= 65_536) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}${tail}${'x'.repeat(left)}${end}`);
}
