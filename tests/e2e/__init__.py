"""The product on a real API server: what the writers of custom resources, kubectl and etcd get to see of it.

``product`` runs the real ``statuscap serve`` and registers it; ``tests.controlplane`` brings the servers. One control
plane serves the whole folder; every test works in a namespace of its own.

::

    with Statuscap([policy], mode="Enforce") as product:
        await product.register(client)
        await client.merge_patch(GADGETS, "g", {"status": long}, subresource="status")
        print(product.decisions())
"""
