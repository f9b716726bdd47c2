#===- jax_programs.py - small JAX programs of every kind, whole ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that JAX exports with sharded arguments on a 4 x 2 mesh (sorting, scans and their
gradients, loops and branches, indexing, embedding gradients, shard_map, bf16, ...), run by
`shardwright run` on 8 devices: the results are those of unsharded JAX."""

import os
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

oracle.require()

import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
random = np.random.RandomState(0)
programs = {}


def A(*shape):
    return random.randn(*shape).astype(np.float32)


def I(high, *shape):
    return random.randint(0, high, shape).astype(np.int32)


def add(name, f, args, specs):
    programs[name] = (f, args, specs)


add("argmax",lambda x:(jnp.argmax(x,1),jnp.max(x,0)),[A(8,16)],[("x","y")])
add("sort",lambda x:jnp.sort(x,axis=1),[A(8,16)],[("x","y")])
add("cumsum",lambda x:jnp.cumsum(x,axis=0),[A(8,16)],[("x","y")])
add("take",lambda x,i:jnp.take_along_axis(x,i,axis=1),[A(8,16),I(16,8,4)],[("x",None),("x",None)])
add("embed_grad",jax.grad(lambda w,i:jnp.sum(jnp.sin(w[i]))),[A(32,8),I(32,16)],[("y",None),("x",)])
def rnn(w,x):
    def st(h,xt): h=jnp.tanh(h@w+xt); return h,h
    return jax.lax.scan(st,jnp.zeros(x.shape[1:]),x)
add("rnn",rnn,[A(8,8),A(5,4,8)],[(None,"y"),(None,"x",None)])
add("rnn_grad",jax.grad(lambda w,x: jnp.sum(rnn(w,x)[1]**2)),[A(8,8),A(5,4,8)],[(None,"y"),(None,"x",None)])
add("while",lambda x: jax.lax.while_loop(lambda c:jnp.sum(c[0])<100.,lambda c:(c[0]*1.5,c[1]+1),(jnp.abs(x),0)),[A(8,8)],[("x","y")])
add("cond",lambda x: jax.lax.cond(jnp.sum(x)>0,lambda x:x@x,lambda x:x.T,x),[A(8,8)],[("x","y")])
add("dus",lambda c,u,i: jax.lax.dynamic_update_slice(c,u,(0,i,0)),[A(8,16,4),A(8,1,4),np.int32(3)],[("x",None,"y"),("x",None,"y"),()])
add("bf16_mlp",lambda x,w: jax.nn.gelu(x@w),[A(8,16).astype(jnp.bfloat16),A(16,32).astype(jnp.bfloat16)],[("x",None),(None,"y")])
add("softmax_xent",lambda x,y: -jnp.mean(jnp.sum(jax.nn.log_softmax(x)*jax.nn.one_hot(y,16),-1)),[A(8,16),I(16,8)],[("x","y"),("x",)])
add("concat_pad",lambda x,y: jnp.pad(jnp.concatenate([x,y],0),((1,1),(0,2))),[A(8,16),A(8,16)],[("x","y"),("x","y")])
add("roll_flip",lambda x: (jnp.roll(x,3,0),x[::-1],x[:,::2]),[A(8,16)],[("x","y")])
add("topk",lambda x: jax.lax.top_k(x,3),[A(8,16)],[("x","y")])
add("random",lambda k: jax.random.normal(jax.random.wrap_key_data(k),(8,16)),[np.array([0,7],np.uint32)],[(None,)])
add("einsum",lambda a,b,c: jnp.einsum("bij,bjk,kl->bil",a,b,c),[A(8,4,6),A(8,6,4),A(4,8)],[("x",None,None),("x",None,None),(None,"y")])
add("maxpool",lambda x: jax.lax.reduce_window(x,-jnp.inf,jax.lax.max,(1,2,2,1),(1,2,2,1),"VALID"),[A(8,8,8,4)],[("x",None,None,"y")])
add("int",lambda a,b: (a//b, a%b, a<<2, a^b, jnp.clip(a,1,5)),[I(100,8,8),I(9,8,8)+1],[("x","y"),("x","y")])
add("var_std",lambda x:(jnp.var(x,0),jnp.std(x),jnp.linalg.norm(x)),[A(8,16)],[("x","y")])
add("where_tri",lambda x: jnp.where(jnp.tril(jnp.ones((8,8),bool)),x,-1e9),[A(8,8)],[("x","y")])
add("segsum",lambda x,i: jax.ops.segment_sum(x,i,num_segments=8),[A(16,4),I(8,16)],[("x","y"),("x",)])
add("trig",lambda x:(jnp.sin(x),jnp.cos(x),jnp.arctan2(x,1+x*x),jnp.exp2(x),jnp.log1p(jnp.abs(x)),jnp.expm1(x),jnp.cbrt(x),jax.nn.sigmoid(x),jax.scipy.special.erf(x),jnp.tan(x),jnp.sinh(x),jnp.arcsinh(x)),[A(8,8)],[("x","y")])
add("f16",lambda x: jnp.mean(x*x),[A(8,8).astype(np.float16)],[("x","y")])
add("shard_map",lambda x: shard_map(lambda a: jax.lax.psum(a*2,"x"),mesh=mesh,in_specs=P("x","y"),out_specs=P(None,"y"))(x),[A(8,16)],[("x","y")])
add("shard_map2",lambda x: shard_map(lambda a: jax.lax.all_gather(a,"x",tiled=True)+jax.lax.axis_index("y"),mesh=mesh,in_specs=P("x","y"),out_specs=P(None,"y"),check_vma=False)(x),[A(8,16)],[("x","y")])
add("shard_map3",lambda x: shard_map(lambda a: jax.lax.ppermute(jax.lax.all_to_all(a,"x",1,0,tiled=True),"y",[(0,1),(1,0)]),mesh=mesh,in_specs=P("x","y"),out_specs=P("x","y"))(x),[A(8,16)],[("x","y")])
add("uneven",lambda x,w: jnp.tanh(x@w).sum(0),[A(6,10),A(10,7)],[("y",None),(None,None)])
add("gather2d",lambda x,i,j: x[i,j],[A(8,16),I(8,5),I(16,5)],[("x","y"),(None,),(None,)])
add("scatter_set",lambda x,i,v: x.at[i].set(v),[A(16,4),I(16,3),A(3,4)],[("x","y"),(None,),(None,None)])
add("attn_vmap",jax.vmap(lambda q,k,v: jax.nn.softmax(q@k.T)@v),[A(8,4,8),A(8,4,8),A(8,4,8)],[("x",None,None)]*3)


def bits(array):
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype == jnp.bfloat16 else array


def save(path, prefix, arrays):
    np.savez(path, **{f"{prefix}{i}": bits(a) for i, a in enumerate(arrays)})


tally = oracle.Tally("jax_programs")
with tempfile.TemporaryDirectory() as folder:
    for name, (f, args, specs) in programs.items():
        shardings = tuple(NamedSharding(mesh, P(*s)) for s in specs)
        module = os.path.join(folder, name + ".mlir")
        with open(module, "w") as file:
            file.write(jax.jit(f, in_shardings=shardings).lower(*args).as_text(debug_info=True))
        save(os.path.join(folder, "in.npz"), "arg", args)
        save(os.path.join(folder, "out.npz"), "out", jax.tree.leaves(jax.jit(f)(*args)))
        narrow = any(np.asarray(a).dtype.itemsize == 2 for a in args)
        done = oracle.process([
            oracle.TOOL, "run", module, os.path.join(folder, "in.npz"), "--expect", os.path.join(folder, "out.npz"),
            "--rtol", "2e-2" if narrow else "1e-4", "--atol", "1e-5", "--stats=json",
        ])  # fmt: skip
        tally.check(name, done.returncode == 0, done.stderr)
tally.finish()
