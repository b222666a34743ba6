# Two images, one base: docker build --target runtime -t aip-runtime .   and   docker build --target controller -t aip-controller .
#
# The base needs Node.js 24 at /usr/local/bin/node and nothing else: no shell and no npm is used at run time. The build needs npm too,
# unless `node scripts/image-context.ts` was run before (docs/kubernetes/images.md).
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG NPM_CONFIG_REGISTRY
ARG SOURCE_DATE_EPOCH
WORKDIR /src
COPY . .
RUN ["/usr/local/bin/node", "scripts/image-context.ts", "--in-image"]

FROM ${NODE_IMAGE} AS base
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.vendor="AIP fleet" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /app
USER 65532:65532
STOPSIGNAL SIGTERM

FROM base AS runtime
LABEL org.opencontainers.image.title="aip-runtime" \
      org.opencontainers.image.description="Gateway and connector hosts of AIP fleet"
COPY --from=build /src/build/image/runtime/sbom.spdx.json /usr/share/doc/aip/sbom.spdx.json
COPY --from=build /src/LICENSE /usr/share/doc/aip/LICENSE
COPY --from=build /src/build/image/runtime/app /app
ENTRYPOINT ["/usr/local/bin/node", "/app/node_modules/@aip/runtime/bin/aip-runtime.js"]
CMD ["--help"]

FROM base AS controller
LABEL org.opencontainers.image.title="aip-controller" \
      org.opencontainers.image.description="Controller and control plane of AIP fleet"
COPY --from=build /src/build/image/controller/sbom.spdx.json /usr/share/doc/aip/sbom.spdx.json
COPY --from=build /src/LICENSE /usr/share/doc/aip/LICENSE
COPY --from=build /src/build/image/controller/app /app
# Node.js sizes its heap by the container's memory limit. Without one it would give young objects alone 128 MiB, which is most of what a fleet takes.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/node_modules/@aip/controller/bin/aip-controller.js"]
CMD ["run"]
