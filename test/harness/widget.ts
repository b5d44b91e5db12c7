/** The document that every agent has to deliver as these bytes: each of its numbers is lost by a double or by printing. */
export const widget = String.raw`{"id":9007199254740993,"price":78.0,"exp":1.0E+2,"small":1e-7,"name":"w\u00efdget"}`;

/** The schema that it answers. */
export const widgetSchema = JSON.stringify({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    price: { type: 'number' },
    exp: { type: 'number' },
    small: { type: 'number' },
    name: { type: 'string' },
  },
  required: ['id', 'price', 'exp', 'small', 'name'],
  additionalProperties: false,
});
