/** Documents are removed by their age, without reading those that stay. */
export const host0006 = `
CREATE INDEX documents_age ON documents (stored_at);
`;
