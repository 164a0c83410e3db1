/** A deployment whose owner sends nothing more. Apart from the generators, whose library takes 90 MB of memory. */

/** The victim's secrets; no answer to another client may contain them. */
export const planted = ['planted-name', 'planted-value-4711', 'planted-file-4712', 'planted-layer-4713'];
/** A blob of an image that it has pushed. */
export const plantedBlob = 'planted-layer-4713';
export const victimYaml = `application:
  name: planted-name
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars: { PASSWORD: planted-value-4711 }
      secrets: [{ name: key, fileName: key, data: planted-file-4712 }]
`;
