/* sources 6d544d44ba177b39af3db89052b55615 */
/*!
# Libraries in this folder

Made by `python tools/vendor.py`, from the packages of these names.

## d3-array 3.2.5 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-color 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-format 3.1.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-interpolate 3.0.2 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-path 3.1.1 (ISC)

```text
Copyright 2015-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-scale 4.0.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-shape 3.2.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time-format 4.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## htm 3.1.1 (Apache-2.0)

```text
Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright 2018 Google Inc.

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.
```

## internmap 2.0.3 (ISC)

```text
Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## preact 11.2.0 (MIT)

```text
The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
```
*/
var K,to,oc,zt,os,on,eo,nn,no,us,as,ac,Ne=Symbol.for("pv"),an={},ln=[],ic=/^m(i|n|o|s|text|space)$/,ps=Array.isArray,hs=ln.slice,Ht=Object.assign;function Bt(t){t&&t.parentNode&&t.remove()}function lc(t,e,n){var s,r,o,a={},i=arguments.length;for(o in e)o=="key"?s=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:a[o]=e[o];return i>2&&(a.children=i>3?hs.call(arguments,2):n),ke(t,a,s,r,null)}function ke(t,e,n,s,r){var o={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Ne,__v:r||++to,__i:-1,__u:0};return!r&&K.vnode&&K.vnode(o),o}function cn(t){return t.children}function sn(t,e){this.props=t,this.context=e,this.__g=0}function Rt(t,e){if(e==null)return t.__&&Rt(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Rt(t)}function cc(t){var e,n=t.__v,s=n.__e,r=[],o=[],a=t.__P;a&&((e=Ht({constructor:Ne},n)).__v=n.__v+1,K.vnode&&K.vnode(e),ds(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,r,s||Rt(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,lo(r,e,o),n.__=n.__e=null,e.__e!=s&&so(e))}function so(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),so(t)}function Wr(t){(8&t.__g||(t.__g|=8,zt.push(t),on++))&&os==K.debounceRendering||((os=K.debounceRendering)||queueMicrotask)(ro)}function ro(){try{for(var t,e=1;zt.length;)zt.length>e&&zt.sort(eo),t=zt.shift(),e=zt.length,8&t.__g&&cc(t)}finally{(on=zt.length)&&(os||queueMicrotask)(ro)}}function oo(t,e,n,s,r,o,a,i,l,c,u){var p,d,m,f,$,g,x=s.__k||ln,v=e.length;for(l=uc(n,e,x,l,v),p=0;p<v;p++)(m=n.__k[p])!=null&&(d=~m.__i&&x[m.__i]||an,m.__i=p,g=ds(t,m,d,r,o,a,i,l,c,u),f=m.__e,(d.ref!=m.ref||8&d.__u)&&(d.ref&&ms(d.ref,null,m,d),m.ref&&u.push(m.ref,m.__c||f,m)),$=$||f,4&m.__u?(l=ao(m,l,t,!d.__v),d.__e&&(d.__e=null)):typeof m.type=="function"&&g!==void 0?l=g:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=$,l}function uc(t,e,n,s,r){var o,a,i,l,c,u,p,d,m,f=n.length,$=f,g=0,x=0,v=t.__k=Array(r);for(o=0;o<r;o++)(a=e[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=v[o]=ke(null,a):ps(a)?a=v[o]=ke(cn,{children:a}):a.constructor===Ne&&a.__b?a=v[o]=ke(a.type,a.props,a.key,a.ref,a.__v):v[o]=a,l=o+g,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=pc(a,n,l,$))&&($--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?g--:c==l+1?g++:c!=l&&(c>l?g--:g++,x=1)):(~c||(r>f?g--:r<f&&g++),typeof a.type!="function"&&(a.__u|=4))):v[o]=null;if(x){for(u=[],p=[],o=0;o<r;o++)if((a=v[o])&&16&a.__u){for(g=0,d=u.length;g<d;)u[m=g+d>>1]<a.__i?g=m+1:d=m;u[g]=a.__i,p[o]=g+1}for(g=u.length;o--;)p[o]&&(p[o]==g?g--:v[o].__u|=4)}if($)for(o=0;o<f;o++)!(i=n[o])||2&i.__u||(i.__e==s&&(s=Rt(i)),fs(i,i));return s}function ao(t,e,n,s){var r,o,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)r[o]&&(r[o].__=t,e=ao(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=Rt(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function pc(t,e,n,s){var r,o=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&o==null||l&&o==i.key&&a==i.type)return n;if(s>(l?1:0)){for(r=n-1;r>=0;r--)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r;for(r=n+1;r<e.length;r++)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r}return-1}function Br(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function en(t,e,n,s,r){var o,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||Br(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||Br(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=as[e]||(as[e]=hc(e)),(t.__a||(t.__a={}))[e]=us,o=e!=(e=e.replace(no,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,o):t.removeEventListener(e,a,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function hc(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[nn]==null)e[nn]=us++;else if(e[nn]<this.__a[t])return;return n(K.event?K.event(e):e)}}}function ds(t,e,n,s,r,o,a,i,l,c){var u,p,d,m,f,$,g,x,v,b,y,w,M,A,_,T,k,P,N=e.type;if(e.constructor!==Ne)return null;128&n.__u&&(l=32&n.__u,u=n.__c.__z)&&(e.__u|=l,p=o=[],u.nodeType==8?i=rn(u,o):o.push(u),i=o[0]||i),(u=K.__b)&&u(e);t:if(typeof N=="function"){d=a.length;try{if(x=e.props,v=(u=N.prototype)&&u.render,b=(u=N.contextType)&&s[u.__c],y=u?b?b.props.value:u.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(v?e.__c=m=new N(x,y):(e.__c=m=new sn(x,y),m.constructor=N,m.render=mc),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),v&&(m.__s||(m.__s=m.state),N.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Ht({},m.__s)),Ht(m.__s,N.getDerivedStateFromProps(x,m.__s)))),f=m.props,$=m.state,m.__v=e,n.__c){if(x!==f&&v&&!N.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(x,y),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(x,m.__s,y)===!1){e.__v!=n.__v&&(m.props=x,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(R){R&&(R.__=e)}),ln.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Rt(n);break t}m.componentWillUpdate&&m.componentWillUpdate(x,m.__s,y),v&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,$,g)})}else v&&!N.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),v&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=y,m.props=x,m.__P=t,m.__g&=-5,w=K.__r,M=v?25:0;do m.__g&=-9,w&&w(e),u=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++M<25);v&&(ln.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Ht({},s,m.getChildContext())),v&&n.__c&&m.getSnapshotBeforeUpdate&&(g=m.getSnapshotBeforeUpdate(f,$)),A=u&&u.type===cn&&u.key==null?u.props.children:u,x.__P&&(u=i,r=(t=x.__P).namespaceURI,l=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(R){R&&fs(R,R)}),n.__k=null),i=n.__k?Rt(n,0):null),i=oo(t,ps(A)?A:[A],e,n,s,r,o,a,i,l,c),x.__P&&(e.__e=null,i=u),e.__u&=-161,p&&p.some(Bt),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(R){if(a.length=d,e.__v=null,l||o)if(R&&R.then){if(e.__u|=128|l,o){for(~(k=o.indexOf(i||void 0))||(k=o.length);(P=o[k-1])&&P.nodeType==8;)k--;for(;k<o.length;k++)if(P=o[k])if(o[k]=null,_){if(P==T)break}else{if(P.nodeType!=8)break;P.data.startsWith("$s")&&(T=rn(_=P))}}if(!_){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;_=i}(u=rn(_=e.__c.__z||(e.__c.__z=_)))?(e.__e=_,i=u):e.__e=i,i=i&&i.nextSibling}else o&&o.some(Bt);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),R&&R.then||io(e),K.__e(R,e,n)}}else i=e.__e=dc(n.__e,e,n,s,r,o,a,l,c,t);return(u=K.diffed)&&u(e),i}function rn(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function io(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(io))}function lo(t,e,n){for(var s=0;s<n.length;)ms(n[s++],n[s++],n[s++]);K.__c&&K.__c(e,t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){K.__e(o,r.__v)}})}function dc(t,e,n,s,r,o,a,i,l,c){var u,p,d,m,f,$,g,x,v=n.props||an,b=e.props,y=e.type;if(y=="svg"?r="http://www.w3.org/2000/svg":y=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((f=o[u])&&(y?f.localName==y:f.nodeType==3)){t=f,o[u]=null;break}}if(!t){if(x=c.ownerDocument||document,!y)return x.createTextNode(b);t=x.createElementNS(r,y,b.is?b:c),i&&(K.__m&&K.__m(e,o),i=!1),o=null}if(y){if(c=y=="template"&&t.content||t,o=y=="textarea"&&b.defaultValue!=null?null:o&&hs.call(c.childNodes),!i&&o)for(v={},u=0;u<t.attributes.length;u++)v[(f=t.attributes[u]).name]=f.value;for(u in v)f=v[u],u=="dangerouslySetInnerHTML"?d=f:u=="children"||u in b||u=="value"&&"defaultValue"in b||u=="checked"&&"defaultChecked"in b||en(t,u,null,f,r);for(u in b)f=b[u],u=="children"?m=f:u=="dangerouslySetInnerHTML"?p=f:u=="value"?$=f:u=="checked"?g=f:i&&typeof f!="function"||v[u]===f||en(t,u,f,v[u],r);p?(i||d&&(p.__html==d.__html||p.__html==t.innerHTML)||(t.innerHTML=p.__html),e.__k=[]):(d&&(t.textContent=""),(y=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&ic.test(y))&&(r="http://www.w3.org/1999/xhtml"),oo(c,ps(m)?m:[m],e,n,s,r,o,a,o?o[0]:n.__k&&Rt(n,0),i,l),o&&o.some(Bt)),i&&y!="textarea"||(u="value",y=="progress"&&$==null?t.removeAttribute(u):$==null||$===t[u]&&(y!="progress"||$)||en(t,u,$,v[u],r),u="checked",g!=null&&g!=t[u]&&en(t,u,g,v[u],r))}else v===b||i&&t.data==b||(t.data=b);return t}function ms(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){K.__e(r,n)}}function fs(t,e,n){var s,r,o,a;if(K.unmount&&K.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||ms(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){K.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&fs(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(r=rn(s,o=[]))&&(s==t.__e&&o.some(Bt),Bt(r),Bt(s)),n||Bt(t.__e),t.__e=t.__c=t.__=null}function mc(t,e,n){return this.constructor(t,n)}function Ce(t,e){var n,s,r,o;K.__&&K.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=ke(cn,{children:[t]}),r=[],o=[],ds(e,e.__k,s||an,an,e.namespaceURI,s?null:e.firstChild?hs.call(e.childNodes):null,r,s?s.__e:e.firstChild,n,o),lo(r,e.__k,o),e.__k.props.children=null}K={__e:function(t,e,n,s){for(var r,o,a;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((a=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(t)),r.componentDidCatch&&(r.componentDidCatch(t,s||{}),a=1),a&&8&r.__g)return void(r.__g|=2)}catch(i){t=i}}throw on=0,t}},to=0,oc=function(t){return t!=null&&t.constructor===Ne},sn.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Ht({},this.state)),typeof t=="function"&&(t=t(Ht({},n),this.props)),t&&(Ht(n,t),this.__v&&(e&&this.__k.push(e),Wr(this)))},sn.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Wr(this))},sn.prototype.render=cn,zt=[],on=0,eo=function(t,e){return t.__v.__b-e.__v.__b},nn=Symbol(),no=/(PointerCapture)$|Capture$/i,us=0,as={},ac=0;var Ut,Q,rs,Hr,is=Object.is,Se=0,co=[],ls=[],Y=K,Ur=Y.__b,Kr=Y.__r,Vr=Y.diffed,Jr=Y.__c,Xr=Y.unmount,Gr=Y.__;function Ae(t,e){Y.__h&&Y.__h(Q,t,Se||e),Se=0;var n=Q.__H||(Q.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return Se=1,fc(po,t)}function fc(t,e,n){var s=Ae(Ut++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):po(void 0,e),function(o){var a=(s.__N||s.__)[0],i=s.t(a,o);is(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=Q,!Q.__f)){Q.__f=!0;var r=Q.shouldComponentUpdate;Q.shouldComponentUpdate=function(o,a,i){var l=this.__H;if(!l)return!0;var c=!1,u=this.props!=o;if(l.__.some(function(d){d.__N&&(c=!0,is(d.__[0],d.__N[0])||(u=!0))}),r){var p=r.call(this,o,a,i);return c?p||u:p}return!c||u}}return s.__}function W(t,e){var n=Ae(Ut++,3);!Y.__s&&$s(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,Q.__H.__h.push(n))}function it(t,e){var n=Ae(Ut++,4);!Y.__s&&$s(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,Q.__h.push(n))}function D(t){return Se=5,H(function(){return{current:t}},[])}function H(t,e){var n=Ae(Ut++,7);return $s(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function uo(t,e){return Se=8,H(function(){return t},e)}function V(){var t=Ae(Ut++,11);if(!t.__){for(var e=Q.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function $c(){var t;do{for(;t=ls.shift();)try{Me(t)}catch(n){Y.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=co.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(Me),e.__h.some(cs),e.__h=[]}catch(n){e.__h=[],Y.__e(n,t.__v)}}}while(ls.length)}Y.__b=function(t){Q=null,Ur&&Ur(t)},Y.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),Gr&&Gr(t,e)},Y.__r=function(t){Kr&&Kr(t),Ut=0;var e=(Q=t.__c).__H;e&&(rs==Q?Q.__h=[]:(e.__h.some(Me),e.__h.some(cs),Ut=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),rs=Q},Y.diffed=function(t){Vr&&Vr(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&Qr(co.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),rs=Q=null},Y.__c=function(t,e){e.some(function(n){try{n.__h.some(Me),n.__h=n.__h.filter(function(s){return!s.__||cs(s)})}catch(s){n.__h=[function(){throw s}]}}),Jr&&Jr(t,e)},Y.unmount=function(t){Xr&&Xr(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,Qr(ls.push(r))}else Me(r)}catch(o){e=o}}),s.__H=void 0,e&&Y.__e(e,s.__v))};var Yr=typeof requestAnimationFrame=="function";function gc(t){var e,n=function(){clearTimeout(s),Yr&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);Yr&&(e=requestAnimationFrame(n))}function Qr(t){t!=1&&Hr==Y.requestAnimationFrame||((Hr=Y.requestAnimationFrame)||gc)($c)}function Me(t){var e=Q,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),Q=e}function cs(t){var e=Q;t.__c=t.__(),Q=e}function $s(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!is(n,t[s])})}function po(t,e){return typeof e=="function"?e(t):e}var ho=function(t,e,n,s){var r;e[0]=0;for(var o=1;o<e.length;o++){var a=e[o++],i=e[o]?(e[0]|=a?1:2,n[e[o++]]):e[++o];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++o]]=i:a===6?s[1][e[++o]]+=i+"":a?(r=t.apply(i,ho(t,i,n,["",null])),s.push(r),i[0]?e[0]|=2:(e[o-2]=0,e[o]=r)):s.push(i)}return s},Zr=new Map;function xc(t){var e=Zr.get(this);return e||(e=new Map,Zr.set(this,e)),(e=ho(this,e.get(t)||(e.set(t,e=(function(n){for(var s,r,o=1,a="",i="",l=[0],c=function(d){o===1&&(d||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,d,a):o===3&&(d||a)?(l.push(3,d,a),o=2):o===2&&a==="..."&&d?l.push(4,d,0):o===2&&a&&!d?l.push(5,0,!0,a):o>=5&&((a||!d&&o===5)&&(l.push(o,0,a,r),o=6),d&&(l.push(o,d,0,r),o=6)),a=""},u=0;u<n.length;u++){u&&(o===1&&c(),c(u));for(var p=0;p<n[u].length;p++)s=n[u][p],o===1?s==="<"?(c(),l=[l],o=3):a+=s:o===4?a==="--"&&s===">"?(o=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),o=1):o&&(s==="="?(o=5,r=a,a=""):s==="/"&&(o<5||n[u][p+1]===">")?(c(),o===3&&(l=l[0]),o=l,(l=l[0]).push(2,0,o),o=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),o=2):a+=s),o===3&&a==="!--"&&(o=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var h=xc.bind(lc);function $o(t){return gs.has(t)||gs.set(t,yc(t)),gs.get(t)}var gs=new WeakMap;function yc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(r,o)=>{let a=e.get(r?.id);a&&(e.delete(r.id),r.error!==void 0?a.reject(Object.assign(new Error(r.error),{status:r.status})):a.resolve(o?.length?vc(o[0]):r.response))}),(r,o={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(mo());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(mo()))}),t.send({id:c,name:r,request:o})})}var mo=()=>new DOMException("nobody waits for it any more","AbortError"),bt=t=>t?.name==="AbortError";function vc(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),r=e.byteOffset+4+n,o=r%8?e.buffer.slice(r,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:o,offset:r%8?0:r,packed:a}}var un=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},pn=class extends un{running=new Map;async send({id:e,name:n,request:s,cancel:r}){if(r)return this.running.get(e)?.abort();let o=new AbortController;this.running.set(e,o);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:o.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){bt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},hn=class extends un{constructor(e,n){super(e),this.answers=new Map(n.map(([s,r,o])=>[fo(s,r),o]))}send({id:e,name:n,request:s,cancel:r}){if(r)return;let o=this.answers.get(fo(n,s));queueMicrotask(()=>{o===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof o=="string"?this.emit("msg:custom",{id:e},[bc(o).buffer]):this.emit("msg:custom",{id:e,response:o})})}},fo=(t,e)=>`${t} ${JSON.stringify(xs(e))}`,xs=t=>Array.isArray(t)?t.map(xs):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,xs(t[e])])):t;function bc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function ys(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function X(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null});return W(()=>{if(s===null){o(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return o(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>o({response:i,error:null,waiting:!1,of:s}),i=>bt(i)||o(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),r}function dt(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null}),a=D({busy:!1,next:null,here:!0});return W(()=>(a.current.here=!0,()=>a.current.here=!1),[]),W(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let u=await t(e,JSON.parse(c));i.here&&o({response:u,error:null,waiting:i.next!==null,of:c})}catch(u){i.here&&!bt(u)&&o(p=>({...p,error:u.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),r}function gn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function wc(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Uo(t){let e,n,s;t.length!==2?(e=gn,n=(i,l)=>gn(t(i),l),s=(i,l)=>t(i)-l):(e=t===gn||t===wc?t:_c,n=t,s=t);function r(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<0?c=p+1:u=p}while(c<u)}return c}function o(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<=0?c=p+1:u=p}while(c<u)}return c}function a(i,l,c=0,u=i.length){let p=r(i,l,c,u-1);return p>c&&s(i[p-1],l)>-s(i[p],l)?p-1:p}return{left:r,center:a,right:o}}function _c(){return 0}function kc(t){return t===null?NaN:+t}var Ko=Uo(gn),Mc=Ko.right,Om=Ko.left,Pm=Uo(kc).center,Lm=Vo(Jo),zm=Vo(Sc);function Vo(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:r,width:o,height:a}=e;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:r.length/o))>=0))throw new RangeError("invalid height");if(!o||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=r.slice();return i&&l?(re(i,c,r,o,a),re(i,r,c,o,a),re(i,c,r,o,a),oe(l,r,c,o,a),oe(l,c,r,o,a),oe(l,r,c,o,a)):i?(re(i,r,c,o,a),re(i,c,r,o,a),re(i,r,c,o,a)):l&&(oe(l,r,c,o,a),oe(l,c,r,o,a),oe(l,r,c,o,a)),e}}function re(t,e,n,s,r){for(let o=0,a=s*r;o<a;)t(e,n,o,o+=s,1)}function oe(t,e,n,s,r){for(let o=0,a=s*r;o<s;++o)t(e,n,o,o+a,s)}function Sc(t){let e=Jo(t);return(n,s,r,o,a)=>{r<<=2,o<<=2,a<<=2,e(n,s,r+0,o+0,a),e(n,s,r+1,o+1,a),e(n,s,r+2,o+2,a),e(n,s,r+3,o+3,a)}}function Jo(t){let e=Math.floor(t);if(e===t)return Nc(t);let n=t-e,s=2*t+1;return(r,o,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*o[a],u=l*e,p=u+l;for(let d=a,m=a+u;d<m;d+=l)c+=o[Math.min(i,d)];for(let d=a,m=i;d<=m;d+=l)c+=o[Math.min(i,d+u)],r[d]=(c+n*(o[Math.max(a,d-p)]+o[Math.min(i,d+p)]))/s,c-=o[Math.max(a,d-u)]}}function Nc(t){let e=2*t+1;return(n,s,r,o,a)=>{if(!((o-=a)>=r))return;let i=t*s[r],l=a*t;for(let c=r,u=r+l;c<u;c+=a)i+=s[Math.min(o,c)];for(let c=r,u=o;c<=u;c+=a)i+=s[Math.min(o,c+l)],n[c]=i/e,i-=s[Math.max(r,c-l)]}}var Cc=Array.prototype,Rm=Cc.slice,Ac=Math.sqrt(50),Tc=Math.sqrt(10),Ec=Math.sqrt(2);function xn(t,e,n){let s=(e-t)/Math.max(0,n),r=Math.floor(Math.log10(s)),o=s/Math.pow(10,r),a=o>=Ac?10:o>=Tc?5:o>=Ec?2:1,i,l,c;return r<0?(c=Math.pow(10,-r)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,r)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?xn(t,e,n*2):[i,l,c]}function Ns(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[r,o,a]=s?xn(e,t,n):xn(t,e,n);if(!(o>=r))return[];let i=o-r+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(o-c)/-a;else for(let c=0;c<i;++c)l[c]=(o-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(r+c)/-a;else for(let c=0;c<i;++c)l[c]=(r+c)*a;return l}function Cs(t,e,n){return e=+e,t=+t,n=+n,xn(t,e,n)[2]}function Oc(t,e,n){e=+e,t=+t,n=+n;let s=e<t,r=s?Cs(e,t,n):Cs(t,e,n);return(s?-1:1)*(r<0?1/-r:r)}var Dm=Pc(Math.random);function Pc(t){return function(e,n=0,s=e.length){let r=s-(n=+n);for(;r;){let o=t()*r--|0,a=e[r+n];e[r+n]=e[o+n],e[o+n]=a}return e}}function pe(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function ze(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function jt(){}var Gt=.7,ce=1/Gt,ie="\\s*([+-]?\\d+)\\s*",Ee="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",_t="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",Lc=/^#([0-9a-f]{3,8})$/,zc=new RegExp(`^rgb\\(${ie},${ie},${ie}\\)$`),Rc=new RegExp(`^rgb\\(${_t},${_t},${_t}\\)$`),Dc=new RegExp(`^rgba\\(${ie},${ie},${ie},${Ee}\\)$`),jc=new RegExp(`^rgba\\(${_t},${_t},${_t},${Ee}\\)$`),qc=new RegExp(`^hsl\\(${Ee},${_t},${_t}\\)$`),Fc=new RegExp(`^hsla\\(${Ee},${_t},${_t},${Ee}\\)$`),go={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};pe(jt,Oe,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:xo,formatHex:xo,formatHex8:Ic,formatHsl:Wc,formatRgb:yo,toString:yo});function xo(){return this.rgb().formatHex()}function Ic(){return this.rgb().formatHex8()}function Wc(){return Xo(this).formatHsl()}function yo(){return this.rgb().formatRgb()}function Oe(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=Lc.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?vo(e):n===3?new st(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?dn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?dn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=zc.exec(t))?new st(e[1],e[2],e[3],1):(e=Rc.exec(t))?new st(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=Dc.exec(t))?dn(e[1],e[2],e[3],e[4]):(e=jc.exec(t))?dn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=qc.exec(t))?_o(e[1],e[2]/100,e[3]/100,1):(e=Fc.exec(t))?_o(e[1],e[2]/100,e[3]/100,e[4]):go.hasOwnProperty(t)?vo(go[t]):t==="transparent"?new st(NaN,NaN,NaN,0):null}function vo(t){return new st(t>>16&255,t>>8&255,t&255,1)}function dn(t,e,n,s){return s<=0&&(t=e=n=NaN),new st(t,e,n,s)}function Ds(t){return t instanceof jt||(t=Oe(t)),t?(t=t.rgb(),new st(t.r,t.g,t.b,t.opacity)):new st}function yn(t,e,n,s){return arguments.length===1?Ds(t):new st(t,e,n,s??1)}function st(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}pe(st,yn,ze(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new st(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Gt:Math.pow(Gt,t),new st(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new st(Jt(this.r),Jt(this.g),Jt(this.b),vn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:bo,formatHex:bo,formatHex8:Bc,formatRgb:wo,toString:wo}));function bo(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}`}function Bc(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}${Vt((isNaN(this.opacity)?1:this.opacity)*255)}`}function wo(){let t=vn(this.opacity);return`${t===1?"rgb(":"rgba("}${Jt(this.r)}, ${Jt(this.g)}, ${Jt(this.b)}${t===1?")":`, ${t})`}`}function vn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Jt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Vt(t){return t=Jt(t),(t<16?"0":"")+t.toString(16)}function _o(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new ft(t,e,n,s)}function Xo(t){if(t instanceof ft)return new ft(t.h,t.s,t.l,t.opacity);if(t instanceof jt||(t=Oe(t)),!t)return new ft;if(t instanceof ft)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,r=Math.min(e,n,s),o=Math.max(e,n,s),a=NaN,i=o-r,l=(o+r)/2;return i?(e===o?a=(n-s)/i+(n<s)*6:n===o?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?o+r:2-o-r,a*=60):i=l>0&&l<1?0:a,new ft(a,i,l,t.opacity)}function As(t,e,n,s){return arguments.length===1?Xo(t):new ft(t,e,n,s??1)}function ft(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}pe(ft,As,ze(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new ft(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Gt:Math.pow(Gt,t),new ft(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,r=2*n-s;return new st(vs(t>=240?t-240:t+120,r,s),vs(t,r,s),vs(t<120?t+240:t-120,r,s),this.opacity)},clamp(){return new ft(ko(this.h),mn(this.s),mn(this.l),vn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=vn(this.opacity);return`${t===1?"hsl(":"hsla("}${ko(this.h)}, ${mn(this.s)*100}%, ${mn(this.l)*100}%${t===1?")":`, ${t})`}`}}));function ko(t){return t=(t||0)%360,t<0?t+360:t}function mn(t){return Math.max(0,Math.min(1,t||0))}function vs(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var Go=Math.PI/180,Yo=180/Math.PI,bn=18,Qo=.96422,Zo=1,ta=.82521,ea=4/29,le=6/29,na=3*le*le,Hc=le*le*le;function sa(t){if(t instanceof kt)return new kt(t.l,t.a,t.b,t.opacity);if(t instanceof Et)return ra(t);t instanceof st||(t=Ds(t));var e=ks(t.r),n=ks(t.g),s=ks(t.b),r=bs((.2225045*e+.7168786*n+.0606169*s)/Zo),o,a;return e===n&&n===s?o=a=r:(o=bs((.4360747*e+.3850649*n+.1430804*s)/Qo),a=bs((.0139322*e+.0971045*n+.7141733*s)/ta)),new kt(116*r-16,500*(o-r),200*(r-a),t.opacity)}function Uc(t,e,n,s){return arguments.length===1?sa(t):new kt(t,e,n,s??1)}function kt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}pe(kt,Uc,ze(jt,{brighter(t){return new kt(this.l+bn*(t??1),this.a,this.b,this.opacity)},darker(t){return new kt(this.l-bn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=Qo*ws(e),t=Zo*ws(t),n=ta*ws(n),new st(_s(3.1338561*e-1.6168667*t-.4906146*n),_s(-.9787684*e+1.9161415*t+.033454*n),_s(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function bs(t){return t>Hc?Math.pow(t,1/3):t/na+ea}function ws(t){return t>le?t*t*t:na*(t-ea)}function _s(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function ks(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function Kc(t){if(t instanceof Et)return new Et(t.h,t.c,t.l,t.opacity);if(t instanceof kt||(t=sa(t)),t.a===0&&t.b===0)return new Et(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*Yo;return new Et(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function Ts(t,e,n,s){return arguments.length===1?Kc(t):new Et(t,e,n,s??1)}function Et(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function ra(t){if(isNaN(t.h))return new kt(t.l,0,0,t.opacity);var e=t.h*Go;return new kt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}pe(Et,Ts,ze(jt,{brighter(t){return new Et(this.h,this.c,this.l+bn*(t??1),this.opacity)},darker(t){return new Et(this.h,this.c,this.l-bn*(t??1),this.opacity)},rgb(){return ra(this).rgb()}}));var oa=-.14861,js=1.78277,qs=-.29227,Nn=-.90649,Pe=1.97294,Mo=Pe*Nn,So=Pe*js,No=js*qs-Nn*oa;function Vc(t){if(t instanceof Xt)return new Xt(t.h,t.s,t.l,t.opacity);t instanceof st||(t=Ds(t));var e=t.r/255,n=t.g/255,s=t.b/255,r=(No*s+Mo*e-So*n)/(No+Mo-So),o=s-r,a=(Pe*(n-r)-qs*o)/Nn,i=Math.sqrt(a*a+o*o)/(Pe*r*(1-r)),l=i?Math.atan2(a,o)*Yo-120:NaN;return new Xt(l<0?l+360:l,i,r,t.opacity)}function Es(t,e,n,s){return arguments.length===1?Vc(t):new Xt(t,e,n,s??1)}function Xt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}pe(Xt,Es,ze(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new Xt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Gt:Math.pow(Gt,t),new Xt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*Go,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),r=Math.sin(t);return new st(255*(e+n*(oa*s+js*r)),255*(e+n*(qs*s+Nn*r)),255*(e+n*(Pe*s)),this.opacity)}}));function aa(t,e,n,s,r){var o=t*t,a=o*t;return((1-3*t+3*o-a)*e+(4-6*o+3*a)*n+(1+3*t+3*o-3*a)*s+a*r)/6}function Jc(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),r=t[s],o=t[s+1],a=s>0?t[s-1]:2*r-o,i=s<e-1?t[s+2]:2*o-r;return aa((n-s/e)*e,a,r,o,i)}}function Xc(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),r=t[(s+e-1)%e],o=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return aa((n-s/e)*e,r,o,a,i)}}var Cn=t=>()=>t;function ia(t,e){return function(n){return t+n*e}}function Gc(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Fs(t,e){var n=e-t;return n?ia(t,n>180||n<-180?n-360*Math.round(n/360):n):Cn(isNaN(t)?e:t)}function Yc(t){return(t=+t)==1?ut:function(e,n){return n-e?Gc(e,n,t):Cn(isNaN(e)?n:e)}}function ut(t,e){var n=e-t;return n?ia(t,n):Cn(isNaN(t)?e:t)}var Co=(function t(e){var n=Yc(e);function s(r,o){var a=n((r=yn(r)).r,(o=yn(o)).r),i=n(r.g,o.g),l=n(r.b,o.b),c=ut(r.opacity,o.opacity);return function(u){return r.r=a(u),r.g=i(u),r.b=l(u),r.opacity=c(u),r+""}}return s.gamma=t,s})(1);function la(t){return function(e){var n=e.length,s=new Array(n),r=new Array(n),o=new Array(n),a,i;for(a=0;a<n;++a)i=yn(e[a]),s[a]=i.r||0,r[a]=i.g||0,o[a]=i.b||0;return s=t(s),r=t(r),o=t(o),i.opacity=1,function(l){return i.r=s(l),i.g=r(l),i.b=o(l),i+""}}}var jm=la(Jc),qm=la(Xc);function Qc(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),r;return function(o){for(r=0;r<n;++r)s[r]=t[r]*(1-o)+e[r]*o;return s}}function Zc(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function tu(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,r=new Array(s),o=new Array(n),a;for(a=0;a<s;++a)r[a]=Is(t[a],e[a]);for(;a<n;++a)o[a]=e[a];return function(i){for(a=0;a<s;++a)o[a]=r[a](i);return o}}function eu(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function wt(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function nu(t,e){var n={},s={},r;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(r in e)r in t?n[r]=Is(t[r],e[r]):s[r]=e[r];return function(o){for(r in n)s[r]=n[r](o);return s}}var Os=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,Ms=new RegExp(Os.source,"g");function su(t){return function(){return t}}function ru(t){return function(e){return t(e)+""}}function ou(t,e){var n=Os.lastIndex=Ms.lastIndex=0,s,r,o,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=Os.exec(t))&&(r=Ms.exec(e));)(o=r.index)>n&&(o=e.slice(n,o),i[a]?i[a]+=o:i[++a]=o),(s=s[0])===(r=r[0])?i[a]?i[a]+=r:i[++a]=r:(i[++a]=null,l.push({i:a,x:wt(s,r)})),n=Ms.lastIndex;return n<e.length&&(o=e.slice(n),i[a]?i[a]+=o:i[++a]=o),i.length<2?l[0]?ru(l[0].x):su(e):(e=l.length,function(c){for(var u=0,p;u<e;++u)i[(p=l[u]).i]=p.x(c);return i.join("")})}function Is(t,e){var n=typeof e,s;return e==null||n==="boolean"?Cn(e):(n==="number"?wt:n==="string"?(s=Oe(e))?(e=s,Co):ou:e instanceof Oe?Co:e instanceof Date?eu:Zc(e)?Qc:Array.isArray(e)?tu:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?nu:wt)(t,e)}function au(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var Ao=180/Math.PI,ca={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function ua(t,e,n,s,r,o){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:r,translateY:o,rotate:Math.atan2(e,t)*Ao,skewX:Math.atan(l)*Ao,scaleX:a,scaleY:i}}var fn;function iu(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?ca:ua(e.a,e.b,e.c,e.d,e.e,e.f)}function lu(t){return t==null||(fn||(fn=document.createElementNS("http://www.w3.org/2000/svg","g")),fn.setAttribute("transform",t),!(t=fn.transform.baseVal.consolidate()))?ca:(t=t.matrix,ua(t.a,t.b,t.c,t.d,t.e,t.f))}function pa(t,e,n,s){function r(c){return c.length?c.pop()+" ":""}function o(c,u,p,d,m,f){if(c!==p||u!==d){var $=m.push("translate(",null,e,null,n);f.push({i:$-4,x:wt(c,p)},{i:$-2,x:wt(u,d)})}else(p||d)&&m.push("translate("+p+e+d+n)}function a(c,u,p,d){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),d.push({i:p.push(r(p)+"rotate(",null,s)-2,x:wt(c,u)})):u&&p.push(r(p)+"rotate("+u+s)}function i(c,u,p,d){c!==u?d.push({i:p.push(r(p)+"skewX(",null,s)-2,x:wt(c,u)}):u&&p.push(r(p)+"skewX("+u+s)}function l(c,u,p,d,m,f){if(c!==p||u!==d){var $=m.push(r(m)+"scale(",null,",",null,")");f.push({i:$-4,x:wt(c,p)},{i:$-2,x:wt(u,d)})}else(p!==1||d!==1)&&m.push(r(m)+"scale("+p+","+d+")")}return function(c,u){var p=[],d=[];return c=t(c),u=t(u),o(c.translateX,c.translateY,u.translateX,u.translateY,p,d),a(c.rotate,u.rotate,p,d),i(c.skewX,u.skewX,p,d),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,p,d),c=u=null,function(m){for(var f=-1,$=d.length,g;++f<$;)p[(g=d[f]).i]=g.x(m);return p.join("")}}}var Fm=pa(iu,"px, ","px)","deg)"),Im=pa(lu,", ",")",")"),cu=1e-12;function To(t){return((t=Math.exp(t))+1/t)/2}function uu(t){return((t=Math.exp(t))-1/t)/2}function pu(t){return((t=Math.exp(2*t))-1)/(t+1)}var Wm=(function t(e,n,s){function r(o,a){var i=o[0],l=o[1],c=o[2],u=a[0],p=a[1],d=a[2],m=u-i,f=p-l,$=m*m+f*f,g,x;if($<cu)x=Math.log(d/c)/e,g=function(A){return[i+A*m,l+A*f,c*Math.exp(e*A*x)]};else{var v=Math.sqrt($),b=(d*d-c*c+s*$)/(2*c*n*v),y=(d*d-c*c-s*$)/(2*d*n*v),w=Math.log(Math.sqrt(b*b+1)-b),M=Math.log(Math.sqrt(y*y+1)-y);x=(M-w)/e,g=function(A){var _=A*x,T=To(w),k=c/(n*v)*(T*pu(e*_+w)-uu(w));return[i+k*m,l+k*f,c*T/To(e*_+w)]}}return g.duration=Math.abs(x)*1e3*e/Math.SQRT2,g}return r.rho=function(o){var a=Math.max(.001,+o),i=a*a,l=i*i;return t(a,i,l)},r})(Math.SQRT2,2,4);function ha(t){return function(e,n){var s=t((e=As(e)).h,(n=As(n)).h),r=ut(e.s,n.s),o=ut(e.l,n.l),a=ut(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Bm=ha(Fs),Hm=ha(ut);function da(t){return function(e,n){var s=t((e=Ts(e)).h,(n=Ts(n)).h),r=ut(e.c,n.c),o=ut(e.l,n.l),a=ut(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Um=da(Fs),Km=da(ut);function ma(t){return(function e(n){n=+n;function s(r,o){var a=t((r=Es(r)).h,(o=Es(o)).h),i=ut(r.s,o.s),l=ut(r.l,o.l),c=ut(r.opacity,o.opacity);return function(u){return r.h=a(u),r.s=i(u),r.l=l(Math.pow(u,n)),r.opacity=c(u),r+""}}return s.gamma=e,s})(1)}var Vm=ma(Fs),Jm=ma(ut);function hu(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function wn(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function ue(t){return t=wn(Math.abs(t)),t?t[1]:NaN}function du(t,e){return function(n,s){for(var r=n.length,o=[],a=0,i=t[0],l=0;r>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),o.push(n.substring(r-=i,r+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return o.reverse().join(e)}}function mu(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var fu=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Le(t){if(!(e=fu.exec(t)))throw new Error("invalid format: "+t);var e;return new Ws({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Le.prototype=Ws.prototype;function Ws(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Ws.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function $u(t){t:for(var e=t.length,n=1,s=-1,r;n<e;++n)switch(t[n]){case".":s=r=n;break;case"0":s===0&&(s=n),r=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(r+1):t}var _n;function gu(t,e){var n=wn(t,e);if(!n)return _n=void 0,t.toPrecision(e);var s=n[0],r=n[1],o=r-(_n=Math.max(-8,Math.min(8,Math.floor(r/3)))*3)+1,a=s.length;return o===a?s:o>a?s+new Array(o-a+1).join("0"):o>0?s.slice(0,o)+"."+s.slice(o):"0."+new Array(1-o).join("0")+wn(t,Math.max(0,e+o-1))[0]}function Eo(t,e){var n=wn(t,e);if(!n)return t+"";var s=n[0],r=n[1];return r<0?"0."+new Array(-r).join("0")+s:s.length>r+1?s.slice(0,r+1)+"."+s.slice(r+1):s+new Array(r-s.length+2).join("0")}var Oo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:hu,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>Eo(t*100,e),r:Eo,s:gu,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function Po(t){return t}var Lo=Array.prototype.map,zo=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function xu(t){var e=t.grouping===void 0||t.thousands===void 0?Po:du(Lo.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",r=t.decimal===void 0?".":t.decimal+"",o=t.numerals===void 0?Po:mu(Lo.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(p,d){p=Le(p);var m=p.fill,f=p.align,$=p.sign,g=p.symbol,x=p.zero,v=p.width,b=p.comma,y=p.precision,w=p.trim,M=p.type;M==="n"?(b=!0,M="g"):Oo[M]||(y===void 0&&(y=12),w=!0,M="g"),(x||m==="0"&&f==="=")&&(x=!0,m="0",f="=");var A=(d&&d.prefix!==void 0?d.prefix:"")+(g==="$"?n:g==="#"&&/[boxX]/.test(M)?"0"+M.toLowerCase():""),_=(g==="$"?s:/[%p]/.test(M)?a:"")+(d&&d.suffix!==void 0?d.suffix:""),T=Oo[M],k=/[defgprs%]/.test(M);y=y===void 0?6:/[gprs]/.test(M)?Math.max(1,Math.min(21,y)):Math.max(0,Math.min(20,y));function P(N){var R=A,B=_,E,C,S;if(M==="c")B=T(N)+B,N="";else{N=+N;var O=N<0||1/N<0;if(N=isNaN(N)?l:T(Math.abs(N),y),w&&(N=$u(N)),O&&+N==0&&$!=="+"&&(O=!1),R=(O?$==="("?$:i:$==="-"||$==="("?"":$)+R,B=(M==="s"&&!isNaN(N)&&_n!==void 0?zo[8+_n/3]:"")+B+(O&&$==="("?")":""),k){for(E=-1,C=N.length;++E<C;)if(S=N.charCodeAt(E),48>S||S>57){B=(S===46?r+N.slice(E+1):N.slice(E))+B,N=N.slice(0,E);break}}}b&&!x&&(N=e(N,1/0));var L=R.length+N.length+B.length,F=L<v?new Array(v-L+1).join(m):"";switch(b&&x&&(N=e(F+N,F.length?v-B.length:1/0),F=""),f){case"<":N=R+N+B+F;break;case"=":N=R+F+N+B;break;case"^":N=F.slice(0,L=F.length>>1)+R+N+B+F.slice(L);break;default:N=F+R+N+B;break}return o(N)}return P.toString=function(){return p+""},P}function u(p,d){var m=Math.max(-8,Math.min(8,Math.floor(ue(d)/3)))*3,f=Math.pow(10,-m),$=c((p=Le(p),p.type="f",p),{suffix:zo[8+m/3]});return function(g){return $(f*g)}}return{format:c,formatPrefix:u}}var $n,Bs,fa;yu({thousands:",",grouping:[3],currency:["$",""]});function yu(t){return $n=xu(t),Bs=$n.format,fa=$n.formatPrefix,$n}function vu(t){return Math.max(0,-ue(Math.abs(t)))}function bu(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(ue(e)/3)))*3-ue(Math.abs(t)))}function wu(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,ue(e)-ue(t))+1}function $a(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function _u(t){return function(){return t}}function ku(t){return+t}var Ro=[0,1];function ae(t){return t}function Ps(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:_u(isNaN(e)?NaN:.5)}function Mu(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function Su(t,e,n){var s=t[0],r=t[1],o=e[0],a=e[1];return r<s?(s=Ps(r,s),o=n(a,o)):(s=Ps(s,r),o=n(o,a)),function(i){return o(s(i))}}function Nu(t,e,n){var s=Math.min(t.length,e.length)-1,r=new Array(s),o=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)r[a]=Ps(t[a],t[a+1]),o[a]=n(e[a],e[a+1]);return function(i){var l=Mc(t,i,1,s)-1;return o[l](r[l](i))}}function ga(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function xa(){var t=Ro,e=Ro,n=Is,s,r,o,a=ae,i,l,c;function u(){var d=Math.min(t.length,e.length);return a!==ae&&(a=Mu(t[0],t[d-1])),i=d>2?Nu:Su,l=c=null,p}function p(d){return d==null||isNaN(d=+d)?o:(l||(l=i(t.map(s),e,n)))(s(a(d)))}return p.invert=function(d){return a(r((c||(c=i(e,t.map(s),wt)))(d)))},p.domain=function(d){return arguments.length?(t=Array.from(d,ku),u()):t.slice()},p.range=function(d){return arguments.length?(e=Array.from(d),u()):e.slice()},p.rangeRound=function(d){return e=Array.from(d),n=au,u()},p.clamp=function(d){return arguments.length?(a=d?!0:ae,u()):a!==ae},p.interpolate=function(d){return arguments.length?(n=d,u()):n},p.unknown=function(d){return arguments.length?(o=d,p):o},function(d,m){return s=d,r=m,u()}}function Cu(){return xa()(ae,ae)}function Au(t,e,n,s){var r=Oc(t,e,n),o;switch(s=Le(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(o=bu(r,a))&&(s.precision=o),fa(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(o=wu(r,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=o-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(o=vu(r))&&(s.precision=o-(s.type==="%")*2);break}}return Bs(s)}function Tu(t){var e=t.domain;return t.ticks=function(n){var s=e();return Ns(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var r=e();return Au(r[0],r[r.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),r=0,o=s.length-1,a=s[r],i=s[o],l,c,u=10;for(i<a&&(c=a,a=i,i=c,c=r,r=o,o=c);u-- >0;){if(c=Cs(a,i,n),c===l)return s[r]=a,s[o]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Re(){var t=Cu();return t.copy=function(){return ga(t,Re())},$a.apply(t,arguments),Tu(t)}function Eu(t,e){t=t.slice();var n=0,s=t.length-1,r=t[n],o=t[s],a;return o<r&&(a=n,n=s,s=a,a=r,r=o,o=a),t[n]=e.floor(r),t[s]=e.ceil(o),t}function Do(t){return Math.log(t)}function jo(t){return Math.exp(t)}function Ou(t){return-Math.log(-t)}function Pu(t){return-Math.exp(-t)}function Lu(t){return isFinite(t)?+("1e"+t):t<0?0:t}function zu(t){return t===10?Lu:t===Math.E?Math.exp:e=>Math.pow(t,e)}function Ru(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function qo(t){return(e,n)=>-t(-e,n)}function Du(t){let e=t(Do,jo),n=e.domain,s=10,r,o;function a(){return r=Ru(s),o=zu(s),n()[0]<0?(r=qo(r),o=qo(o),t(Ou,Pu)):t(Do,jo),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],u=l[l.length-1],p=u<c;p&&([c,u]=[u,c]);let d=r(c),m=r(u),f,$,g=i==null?10:+i,x=[];if(!(s%1)&&m-d<g){if(d=Math.floor(d),m=Math.ceil(m),c>0){for(;d<=m;++d)for(f=1;f<s;++f)if($=d<0?f/o(-d):f*o(d),!($<c)){if($>u)break;x.push($)}}else for(;d<=m;++d)for(f=s-1;f>=1;--f)if($=d>0?f/o(-d):f*o(d),!($<c)){if($>u)break;x.push($)}x.length*2<g&&(x=Ns(c,u,g))}else x=Ns(d,m,Math.min(m-d,g)).map(o);return p?x.reverse():x},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Le(l)).precision==null&&(l.trim=!0),l=Bs(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return u=>{let p=u/o(Math.round(r(u)));return p*s<s-.5&&(p*=s),p<=c?l(u):""}},e.nice=()=>n(Eu(n(),{floor:i=>o(Math.floor(r(i))),ceil:i=>o(Math.ceil(r(i)))})),e}function Hs(){let t=Du(xa()).domain([1,10]);return t.copy=()=>ga(t,Hs()).base(t.base()),$a.apply(t,arguments),t}var Te=Math.PI,Ls=2*Te,Kt=1e-6,ju=Ls-Kt;function ya(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function qu(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return ya;let n=10**e;return function(s){this._+=s[0];for(let r=1,o=s.length;r<o;++r)this._+=Math.round(arguments[r]*n)/n+s[r]}}function va(t,e,n,s){return t===n&&e===s}function Fu(t){let e=Math.floor(t);if(!(e<=15))return va;let n=10**e,s=function(r){return Math.round(r*n)};return function(r,o,a,i){return s(r)===s(a)&&s(o)===s(i)}}var Us=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?ya:qu(t),this._equal=t==null?va:Fu(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,r,o){this._append`C${+t},${+e},${+n},${+s},${this._x1=+r},${this._y1=+o}`}arcTo(t,e,n,s,r){if(t=+t,e=+e,n=+n,s=+s,r=+r,r<0)throw new Error(`negative radius: ${r}`);let o=this._x1,a=this._y1,i=n-t,l=s-e,c=o-t,u=a-e,p=c*c+u*u;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(p>Kt)if(!(Math.abs(u*i-l*c)>Kt)||!r)this._append`L${this._x1=t},${this._y1=e}`;else{let d=n-o,m=s-a,f=i*i+l*l,$=d*d+m*m,g=Math.sqrt(f),x=Math.sqrt(p),v=r*Math.tan((Te-Math.acos((f+p-$)/(2*g*x)))/2),b=v/x,y=v/g;Math.abs(b-1)>Kt&&this._append`L${t+b*c},${e+b*u}`,this._append`A${r},${r},0,0,${+(u*d>c*m)},${this._x1=t+y*i},${this._y1=e+y*l}`}}arc(t,e,n,s,r,o){if(t=+t,e=+e,n=+n,o=!!o,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,u=1^o,p=o?s-r:r-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Kt||Math.abs(this._y1-c)>Kt)&&this._append`L${l},${c}`,!!n){if(p<0&&(p=p%Ls+Ls),p>ju)this._append`A${n},${n},0,1,${u},${t-a},${e-i}A${n},${n},0,1,${u},${this._x1=l},${this._y1=c}`;else if(p>Kt){let d=t+n*Math.cos(r),m=e+n*Math.sin(r);if(p>=Te&&this._equal(l,c,d,m)){p/=2;let f=s+p;this._append`A${n},${n},0,${+(p>=Te)},${u},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(p>=Te)},${u},${this._x1=d},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function Iu(){return new Us}Iu.prototype=Us.prototype;function at(t){return function(){return t}}var Wu=Math.cos,zs=Math.sin,he=Math.sqrt,Fo=1e-12,kn=Math.PI,Xm=kn/2,ba=2*kn;function wa(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new Us(e)}var Gm=Array.prototype.slice;function _a(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function ka(t){this._context=t}ka.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function Ks(t){return new ka(t)}function Ma(t){return t[0]}function Sa(t){return t[1]}function De(t,e){var n=at(!0),s=null,r=Ks,o=null,a=wa(i);t=typeof t=="function"?t:t===void 0?Ma:at(t),e=typeof e=="function"?e:e===void 0?Sa:at(e);function i(l){var c,u=(l=_a(l)).length,p,d=!1,m;for(s==null&&(o=r(m=a())),c=0;c<=u;++c)!(c<u&&n(p=l[c],c,l))===d&&((d=!d)?o.lineStart():o.lineEnd()),d&&o.point(+t(p,c,l),+e(p,c,l));if(m)return o=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:at(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:at(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:at(!!l),i):n},i.curve=function(l){return arguments.length?(r=l,s!=null&&(o=r(s)),i):r},i.context=function(l){return arguments.length?(l==null?s=o=null:o=r(s=l),i):s},i}function Na(t,e,n){var s=null,r=at(!0),o=null,a=Ks,i=null,l=wa(c);t=typeof t=="function"?t:t===void 0?Ma:at(+t),e=typeof e=="function"?e:at(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?Sa:at(+n);function c(p){var d,m,f,$=(p=_a(p)).length,g,x=!1,v,b=new Array($),y=new Array($);for(o==null&&(i=a(v=l())),d=0;d<=$;++d){if(!(d<$&&r(g=p[d],d,p))===x)if(x=!x)m=d,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=d-1;f>=m;--f)i.point(b[f],y[f]);i.lineEnd(),i.areaEnd()}x&&(b[d]=+t(g,d,p),y[d]=+e(g,d,p),i.point(s?+s(g,d,p):b[d],n?+n(g,d,p):y[d]))}if(v)return i=null,v+""||null}function u(){return De().defined(r).curve(a).context(o)}return c.x=function(p){return arguments.length?(t=typeof p=="function"?p:at(+p),s=null,c):t},c.x0=function(p){return arguments.length?(t=typeof p=="function"?p:at(+p),c):t},c.x1=function(p){return arguments.length?(s=p==null?null:typeof p=="function"?p:at(+p),c):s},c.y=function(p){return arguments.length?(e=typeof p=="function"?p:at(+p),n=null,c):e},c.y0=function(p){return arguments.length?(e=typeof p=="function"?p:at(+p),c):e},c.y1=function(p){return arguments.length?(n=p==null?null:typeof p=="function"?p:at(+p),c):n},c.lineX0=c.lineY0=function(){return u().x(t).y(e)},c.lineY1=function(){return u().x(t).y(n)},c.lineX1=function(){return u().x(s).y(e)},c.defined=function(p){return arguments.length?(r=typeof p=="function"?p:at(!!p),c):r},c.curve=function(p){return arguments.length?(a=p,o!=null&&(i=a(o)),c):a},c.context=function(p){return arguments.length?(p==null?o=i=null:i=a(o=p),c):o},c}var Ym=Bu(Ks);function Ca(t){this._curve=t}Ca.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function Bu(t){function e(n){return new Ca(t(n))}return e._curve=t,e}var Qm=he(3),Hu=he(1/3),Zm=Hu*2,Aa=zs(kn/10)/zs(7*kn/10),tf=zs(ba/10)*Aa,ef=-Wu(ba/10)*Aa,nf=he(3),sf=he(3),rf=he(3)/2,Uu=1/he(12),of=(Uu/2+1)*3;function Dt(){}function Mn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function Vs(t){this._context=t}Vs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:Mn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:Mn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ku(t){this._context=t}Ku.prototype={areaStart:Dt,areaEnd:Dt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:Mn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Vu(t){this._context=t}Vu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:Mn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ta(t,e){this._basis=new Vs(t),this._beta=e}Ta.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],r=e[0],o=t[n]-s,a=e[n]-r,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*o),this._beta*e[i]+(1-this._beta)*(r+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var af=(function t(e){function n(s){return e===1?new Vs(s):new Ta(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function Sn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function Js(t,e){this._context=t,this._k=(1-e)/6}Js.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:Sn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:Sn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var lf=(function t(e){function n(s){return new Js(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Xs(t,e){this._context=t,this._k=(1-e)/6}Xs.prototype={areaStart:Dt,areaEnd:Dt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Sn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var cf=(function t(e){function n(s){return new Xs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Gs(t,e){this._context=t,this._k=(1-e)/6}Gs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Sn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var uf=(function t(e){function n(s){return new Gs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Ys(t,e,n){var s=t._x1,r=t._y1,o=t._x2,a=t._y2;if(t._l01_a>Fo){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,r=(r*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>Fo){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,u=3*t._l23_a*(t._l23_a+t._l12_a);o=(o*c+t._x1*t._l23_2a-e*t._l12_2a)/u,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/u}t._context.bezierCurveTo(s,r,o,a,t._x2,t._y2)}function Ea(t,e){this._context=t,this._alpha=e}Ea.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var pf=(function t(e){function n(s){return e?new Ea(s,e):new Js(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Oa(t,e){this._context=t,this._alpha=e}Oa.prototype={areaStart:Dt,areaEnd:Dt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var hf=(function t(e){function n(s){return e?new Oa(s,e):new Xs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Pa(t,e){this._context=t,this._alpha=e}Pa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Ys(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var df=(function t(e){function n(s){return e?new Pa(s,e):new Gs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Ju(t){this._context=t}Ju.prototype={areaStart:Dt,areaEnd:Dt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function Io(t){return t<0?-1:1}function Wo(t,e,n){var s=t._x1-t._x0,r=e-t._x1,o=(t._y1-t._y0)/(s||r<0&&-0),a=(n-t._y1)/(r||s<0&&-0),i=(o*r+a*s)/(s+r);return(Io(o)+Io(a))*Math.min(Math.abs(o),Math.abs(a),.5*Math.abs(i))||0}function Bo(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function Ss(t,e,n){var s=t._x0,r=t._y0,o=t._x1,a=t._y1,i=(o-s)/3;t._context.bezierCurveTo(s+i,r+i*e,o-i,a-i*n,o,a)}function Rs(t){this._context=t}Rs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:Ss(this,this._t0,Bo(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,Ss(this,Bo(this,n=Wo(this,t,e)),n);break;default:Ss(this,this._t0,n=Wo(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Xu(t){this._context=new La(t)}(Xu.prototype=Object.create(Rs.prototype)).point=function(t,e){Rs.prototype.point.call(this,e,t)};function La(t){this._context=t}La.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,r,o){this._context.bezierCurveTo(e,t,s,n,o,r)}};function Gu(t){this._context=t}Gu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=Ho(t),r=Ho(e),o=0,a=1;a<n;++o,++a)this._context.bezierCurveTo(s[0][o],r[0][o],s[1][o],r[1][o],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function Ho(t){var e,n=t.length-1,s,r=new Array(n),o=new Array(n),a=new Array(n);for(r[0]=0,o[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)r[e]=1,o[e]=4,a[e]=4*t[e]+2*t[e+1];for(r[n-1]=2,o[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=r[e]/o[e-1],o[e]-=s,a[e]-=s*a[e-1];for(r[n-1]=a[n-1]/o[n-1],e=n-2;e>=0;--e)r[e]=(a[e]-r[e+1])/o[e];for(o[n-1]=(t[n]+r[n-1])/2,e=0;e<n-1;++e)o[e]=2*t[e+1]-r[e+1];return[r,o]}function Yu(t,e){this._context=t,this._t=e}Yu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};var Qu={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},Mt=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],qe=["","6 3","2 3","8 3 2 3","1 3","10 4"],Zu=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),An=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,tp=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function ep(t){let e=t.map(s=>Zu(s).map(An)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let r=s/255*(e.length-1),o=Math.min(Math.floor(r),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=tp(e[o][a]+(r-o)*(e[o+1][a]-e[o][a]));n[4*s+3]=255}return n}var Qs=new Map,je=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Yt(t){let e=`${je()} ${t}`;return Qs.has(e)||Qs.set(e,ep(Qu[je()][t])),Qs.get(e)}function Tn(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function St(t,e,n){let s=Yt(e),r=4*Tn(t,e,n);return`rgb(${s[r]}, ${s[r+1]}, ${s[r+2]})`}function En(t,e,n){let s=Yt(e),r=4*Tn(t,e,n);return .2126*An(s[r])+.7152*An(s[r+1])+.0722*An(s[r+2])>.2?"#14161d":"#ffffff"}function za(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}function z(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):np(t,e)).replace("-","−").replace("e-","e−")}function np(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function $t(t){let e=100*t;return Number.isFinite(e)?e>0&&e<.1?"< 0.1 %":`${e<9.95?Number(e.toFixed(1)):Math.round(e)} %`:"–"}function On(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return z(t)}function Ra(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:r,rows:o,columns:a}=t[e[0]],i=a??Array.from({length:s[1]},(l,c)=>c);n.push([e[0],...i]);for(let l=0;l<s[0];l++)n.push([o?.[l]??l,...Array.from({length:s[1]},(c,u)=>r[l*s[1]+u])])}else{let s=Math.max(0,...e.map(r=>t[r].shape.length));n.push(["array",...Array.from({length:s},(r,o)=>`index ${o}`),"value"]);for(let r of e){let{shape:o,data:a}=t[r];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=o.length-1,u=i;c>=0;c--)l[c]=u%o[c],u=Math.floor(u/o[c]);n.push([r,...l,a[i]])}}}return n.map(s=>s.map(sp).join(",")).join(`\r
`)+`\r
`}function sp(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var Pn=()=>h`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,ja="regard-theme",Da=()=>{try{return localStorage.getItem(ja)}catch{return null}};Da()&&qa(Da());function qa(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function Ln(){let e=lt()==="dark"?"light":"dark";return h`<button class="quiet" onClick=${()=>{qa(e);try{localStorage.setItem(ja,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function lt(){let[t,e]=j(je);return W(()=>za(()=>e(je())),[]),t}function G(){let t=D(null),[e,n]=j(0);return it(()=>{let s=new ResizeObserver(([r])=>n(Math.floor(r.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function q({title:t,note:e,class:n="",actions:s,children:r}){return h`<section class=${`panel ${n}`}>
    ${(t||s)&&h`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&h`<p class="note">${e}</p>`}
    ${r}
  </section>`}function I({error:t,waiting:e,lines:n=0,children:s}){return h`<div class="said" role="status" aria-live="polite">
    ${t?h`<p class="error">${t}</p>`:e?h`<div class="waiting"><p class=${n?"unseen":""}>${s??"computing …"}</p>
      ${Array.from({length:n},()=>h`<i class="skeleton" aria-hidden="true"></i>`)}</div>`:null}
  </div>`}function gt({place:t,class:e="",noted:n=!0,what:s,children:r}){return t!=="file"?h`<div class=${e||"as-itself"}>${r}</div>`:h`<fieldset class=${`saved-still ${e}`} disabled>${n&&h`<${Qt} place=${t} what=${s} />`}${r}</fieldset>`}var Qt=({place:t,what:e="change it"})=>t==="file"&&h`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,Zs=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,de=(t,e,n,s)=>Number.isFinite(t)?Math.round(Zs(t,e,n)):s,Fe=(t,e,n)=>e.includes(t)?t:n,zn=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>de(s,e,n)):null,qt=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;var J={left:66,right:22,top:10,bottom:42};function Pt({series:t,label:e,xLabel:n,yLabel:s,logX:r,logY:o,marks:a=[],height:i=260,xMin:l,yMin:c,says:u=z}){let[p,d]=G(),m=V(),[f,$]=j(null),g=t.map(k=>({...k,points:k.x.map((P,N)=>[P,k.y[N]]).filter(([P,N])=>Ot(P,r)&&Ot(N,o))})),x=g.flatMap(k=>k.points.map(([P])=>P)).concat(a.map(k=>k.x).filter(k=>Ot(k,r))),v=g.flatMap(k=>[...k.points.map(([,P])=>P),...k.low??[],...k.high??[]]).filter(k=>Ot(k,o)),b=tr(x,r,[J.left,Math.max(d-J.right,J.left+10)],l),y=tr(v,o,[i-J.bottom,J.top],c),w=De().defined(([k,P])=>Ot(k,r)&&Ot(P,o)).x(([k])=>b(k)).y(([,k])=>y(k)),M=[...new Set(x)].sort((k,P)=>k-P),A=k=>{let P=k.clientX-k.currentTarget.getBoundingClientRect().left;M.length&&$(M.reduce((N,R)=>Math.abs(b(R)-P)<Math.abs(b(N)-P)?R:N))},_=k=>{let P={ArrowRight:1,ArrowLeft:-1}[k.key];!P||!M.length||(k.preventDefault(),$(M[Math.max(0,Math.min(M.length-1,(f===null?-1:M.indexOf(f))+P))]))},T=f===null?[]:g.map((k,P)=>({name:k.name,i:P,y:k.points.find(([N])=>N===f)?.[1]})).filter(k=>k.y!==void 0);return h`<figure class="chart" ref=${p}>
    ${t.length>1&&h`<ul class="keys">${t.map((k,P)=>h`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${k.class??Mt[P%6]} stroke-dasharray=${qe[P%6]} /></svg>${k.name}</li>`)}</ul>`}
    ${d>0&&h`<svg width=${d} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${rp(g,n,u)}`} aria-describedby=${m}
      onPointerMove=${A} onPointerLeave=${()=>$(null)} onKeyDown=${_} onBlur=${()=>$(null)}>
      <${Ia} x=${b} y=${y} logX=${r} logY=${o} xLabel=${n} yLabel=${s} width=${d} height=${i} says=${u} />
      ${a.map(k=>Ot(k.x,r)&&h`<g class="mark"><line x1=${b(k.x)} x2=${b(k.x)} y1=${J.top} y2=${i-J.bottom} />
        <text x=${b(k.x)+4} y=${J.top+10}>${k.name}</text></g>`)}
      ${g.map((k,P)=>h`<g>
        ${k.low&&h`<path class=${`band ${k.class??Mt[P%6]}`} d=${Na().x((N,R)=>b(k.x[R])).y0((N,R)=>y(k.low[R])).y1((N,R)=>y(k.high[R]))(k.x)} />`}
        <path class=${`curve ${k.class??Mt[P%6]}`} stroke-dasharray=${qe[P%6]} d=${w(k.points)} />
        ${k.points.length<2&&k.points.map(([N,R])=>h`<circle class=${`dot ${k.class??Mt[P%6]}`} cx=${b(N)} cy=${y(R)} r="3" />`)}
      </g>`)}
      ${f!==null&&h`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${J.top} y2=${i-J.bottom} />
        ${T.map(k=>h`<circle class=${`dot ${g[k.i].class??Mt[k.i%6]}`} cx=${b(f)} cy=${y(k.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?h`<span class="hint">point, or use the arrow keys, to read numbers</span>`:h`${n} ${u(f)}: ${T.map((k,P)=>h`${P?" · ":""}${k.name} <b>${u(k.y)}</b>`)}`}</figcaption>
  </figure>`}var Ot=(t,e)=>Number.isFinite(t)&&(!e||t>0);function tr(t,e,n,s){let[r,o]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(r=Math.min(r,s)),r===o&&([r,o]=e?[r/2,o*2]:[r-.5,o+.5]);let a=(e?Hs():Re()).domain([r,o]).range(n);return e&&o/r<1e3?a:a.nice()}function rp(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function Ia({x:t,y:e,logX:n,logY:s,xLabel:r,yLabel:o,width:a,height:i,says:l}){let c=(p,d,m)=>{let f=p.ticks(m);return d?f.filter($=>f.length<=m+2||Number.isInteger(Math.round(Math.log10($)*1e9)/1e9)):f},u=i-J.bottom;return h`<g class="axes">
    ${c(e,s,5).map(p=>h`<g><line x1=${J.left} x2=${a-J.right} y1=${e(p)} y2=${e(p)} /><text x=${J.left-7} y=${e(p)} dy="0.35em" text-anchor="end">${Fa(p,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(p=>h`<g><line x1=${t(p)} x2=${t(p)} y1=${u} y2=${u+4} /><text x=${t(p)} y=${u+17} text-anchor="middle">${Fa(p,l)}</text></g>`)}
    <text class="name" x=${(J.left+a-J.right)/2} y=${i-6} text-anchor="middle">${r}</text>
    <text class="name" transform=${`translate(13,${(J.top+u)/2}) rotate(-90)`} text-anchor="middle">${o}</text>
  </g>`}var Fa=(t,e)=>Math.abs(t)>=1e4?On(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function Wa({names:t,groups:e,label:n,yLabel:s,logY:r,height:o=240,says:a=z}){let[i,l]=G(),c=Object.entries(e),u=c.flatMap(([,$])=>$).filter($=>Ot($,r)),p=tr(r?u:[...u,0],r,[o-J.bottom,J.top]),d=(l-J.left-J.right)/Math.max(t.length,1),m=Math.min(38,d*.72/c.length),f=r?o-J.bottom:p(0);return h`<figure class="chart" ref=${i}>
    ${c.length>1&&h`<ul class="keys">${c.map(([$],g)=>h`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${Mt[g%6]} /></svg>${$}</li>`)}</ul>`}
    ${l>0&&h`<svg width=${l} height=${o} role="img" aria-label=${`${n}. ${c.map(([$,g])=>t.map((x,v)=>`${x} ${$} ${a(g[v])}`).join(", ")).join("; ")}`}>
      <${Ia} x=${null} y=${p} logY=${r} xLabel="" yLabel=${s} width=${l} height=${o} says=${a} />
      ${t.map(($,g)=>h`<g>
        ${c.map(([x,v],b)=>Ot(v[g],r)&&h`<rect class=${Mt[b%6]} rx="2" x=${J.left+(g+.5)*d-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(p(v[g]),f)} height=${Math.abs(f-p(v[g]))}><title>${`${$}, ${x}: ${a(v[g])}`}</title></rect>`)}
        <text class="tick" x=${J.left+(g+.5)*d} y=${o-J.bottom+17} text-anchor="middle">${$.length>d/6?`${$.slice(0,Math.max(2,Math.floor(d/6)-1))}…`:$}</text>
      </g>`)}
    </svg>`}
  </figure>`}function xt({off:t,onClick:e,children:n,...s}){return h`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function rt({label:t,value:e,min:n,max:s,step:r,onChange:o,says:a=z,disabled:i}){let l=V();return h`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${r} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>o(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function tt({label:t,value:e,options:n,onChange:s}){let r=V();return h`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([o,a])=>h`<label><input type="radio" name=${r} value=${o} checked=${o===e}
        onChange=${()=>s(o)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function et({label:t,value:e,options:n,onChange:s,hidden:r}){let o=V(),a=([i,l])=>Array.isArray(l)?h`<optgroup label=${i}>${l.map(a)}</optgroup>`:h`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return h`<div class="control">
    <label for=${o} class=${r?"unseen":""}>${t}</label>
    <select id=${o} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function yt({label:t,value:e,onChange:n}){return h`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function pt({label:t,value:e,onChange:n,live:s,lines:r,placeholder:o,spellcheck:a=!1,max:i}){let l=V(),[c,u]=j(null),p=()=>(c!==null&&c!==e&&n(c),u(null)),d={id:l,placeholder:o,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):u(m.target.value),onBlur:p,onKeyDown:m=>m.key==="Enter"&&(!r||m.ctrlKey||m.metaKey)&&p()};return h`<div class="control text"><label for=${l}>${t}</label>
    ${r?h`<textarea rows=${r} ...${d}></textarea>`:h`<input type="text" ...${d} />`}</div>`}function me({label:t,value:e,step:n=.1,onChange:s,disabled:r}){let[o,a]=j(null),i=D(null),l=D(null),c=p=>Number(p.toFixed(6)),u=p=>{a(null);let d=Number(String(p).replace("−","-").replace(",","."));if(String(p).trim()!==""&&Number.isFinite(d)&&Math.abs(d)<=1e6)return s(c(d));l.current.setCustomValidity("a number from −1,000,000 to 1,000,000"),l.current.reportValidity(),setTimeout(()=>l.current?.setCustomValidity(""),2500)};return h`<input ref=${l} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${r}
    value=${o??String(e).replace("-","−")} data-draft=${o===null?null:""}
    onInput=${p=>a(p.target.value)}
    onBlur=${p=>o!==null&&u(p.target.value)}
    onKeyDown=${p=>{let d={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[p.key];p.key==="Enter"?u(p.target.value):p.key==="Escape"?a(null):d&&(p.preventDefault(),s(c(e+d*n)))}}
    onPointerDown=${p=>i.current={x:p.clientX,from:e,id:p.pointerId}}
    onPointerMove=${p=>{let d=i.current;!d||Math.abs(p.clientX-d.x)<4&&!d.moving||(d.moving=!0,p.target.setPointerCapture(d.id),s(c(d.from+Math.round((p.clientX-d.x)/4)*n)))}}
    onPointerUp=${()=>i.current=null}
    onPointerCancel=${()=>i.current=null} />`}function Ft(t,e,n,s=n){let r={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(r===void 0)return null;t.preventDefault();let o=e+r;return o<0||o>=n?e:o}var op=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, th button, :has(> svg))",ap=`[data-unpictured], script, style, noscript, template, title, ${op}`;function nr(t,e=""){let n=t.getBoundingClientRect(),[s,r]=[Math.ceil(n.width)+32,Math.ceil(n.height)+32],o={clips:0,defs:""},a=mt(ip(t))??{fill:"#ffffff"},i=Z("g",{transform:`translate(${We(16-n.left)},${We(16-n.top)})`},Ua(t,o));return`<?xml version="1.0" encoding="UTF-8"?>
${Z("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:s,height:r,viewBox:`0 0 ${s} ${r}`},`${Z("title",{},Be(e)||" ")}${o.defs&&Z("defs",{},o.defs)}${Z("rect",{width:s,height:r,...a})}${i}`)}
`}async function Ha(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:r,naturalHeight:o}=s,a=Math.min(e,16e3/Math.max(r,o),Math.sqrt(2e8/(r*o))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(r*a),Math.round(o*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function ip(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(mt(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function Ua(t,e){if(t.matches(ap))return"";let n=getComputedStyle(t),s=Number(n.opacity),r=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||r)return"";let o=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[o],l=a?i.map(p=>cp(t,n,p)).join(""):"",c={canvas:mp,svg:gp,img:fp,input:pp}[t.localName],u=l;if(c)u+=a?c(t,n,o):"";else{t.localName==="mfrac"&&t.children.length===2&&(u+=hp(t,n,o)),t.localName==="msqrt"&&(u+=dp(t,n,o));let p=[...t.childNodes].map(d=>{if(d.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?up(d,n):"";let m=t.localName==="details"&&!t.open&&d.localName!=="summary";return d.nodeType!==Node.ELEMENT_NODE||m?"":Ua(d,e)});u+=lp(t,n,o,e,p.join(""))}return s<1&&u?Z("g",{opacity:s},u):u}function lp(t,e,n,s,r){let o=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!r||!o||!a)return r;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=Z("clipPath",{id:i},Z("rect",l)),Z("g",{"clip-path":`url(#${i})`},r)}function cp(t,e,{left:n,top:s,width:r,height:o}){if(r<=0||o<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,o/2),i=(g,x)=>Z("rect",{x:n-g,y:s-g,width:r+2*g,height:o+2*g,rx:a?a+g:null,...x}),l=(g,x,v)=>i(v,{fill:"none",...mt(x,"stroke"),"stroke-width":g}),c=mt(e.backgroundColor),u=c?i(0,c):"",[p,d,m,f]=["Top","Right","Bottom","Left"].map(g=>({size:e[`border${g}Style`]==="none"?0:parseFloat(e[`border${g}Width`]),colour:e[`border${g}Color`]}));if([d,m,f].every(({size:g,colour:x})=>g===p.size&&x===p.colour))p.size>0&&mt(p.colour)&&(u+=l(p.size,p.colour,-p.size/2));else{let[g,x]=[n+r,s+o],v=[[p,n,s,g,s],[d,g,s,g,x],[m,n,x,g,x],[f,n,s,n,x]];for(let[{size:b,colour:y},w,M,A,_]of v){let T=b>0&&mt(y,"stroke");T&&(u+=Z("line",{x1:w,y1:M,x2:A,y2:_,...T,"stroke-width":b}))}}let $=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&$>0&&!t.matches(":focus")&&(u+=l($,e.outlineColor,parseFloat(e.outlineOffset)+$/2)),u}function up(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let r=document.createRange(),o=(c,u)=>(r.setStart(t,c),r.setEnd(t,u),[...r.getClientRects()].filter(p=>p.width>0&&p.height>0)),a=n.trimEnd().length,i=o(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Ba(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let u=n.codePointAt(c)>65535?2:1,p=o(c,c+u).at(-1),d=l.at(-1);p&&(!d||Math.abs(p.top-d.from.top)>p.height/2)?l.push({text:n.slice(c,c+u),from:p,to:p}):p?(d.text+=n.slice(c,c+u),/\S/.test(n[c])&&(d.to=p)):d&&(d.text+=n.slice(c,c+u)),c+=u}return l.map(c=>Ba(c.text,e,c.from,c.to)).join("")}function Ba(t,e,n,s){let o=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?o.toUpperCase():o,i=mt(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=Ka(e),u=a.length>1&&s.right>n.left?s.right-n.left:null,p=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return Z("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:u,lengthAdjust:u===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":p?"italic":null},Be(a))}var er=new Map;function Ka(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!er.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:r}=n.measureText("x");er.set(e,{up:s,down:r})}return er.get(e)}function pp(t,e,n){let{up:s,down:r}=Ka(e),o=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return Z("text",{x:o,y:n.top+n.height/2+(s-r)/2,...mt(e.color),...a},Be(t.value))}function hp(t,e,n){let[s,r]=[...t.children].map(i=>i.getBoundingClientRect()),o=(s.bottom+r.top)/2,a={...mt(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return Z("line",{x1:n.left+1,x2:n.right-1,y1:o,y2:o,...a})}function dp(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,r=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[r*.25,n.height*.54],[r*.6,n.height],[r,1],[n.width,1]].map(([i,l])=>`${We(n.left+i)},${We(n.top+l)}`).join(" ");return Z("polyline",{points:a,fill:"none",...mt(e.color,"stroke"),"stroke-width":1})}function mp(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return Va(t.toDataURL("image/png"),e,n);let[r,o]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let u=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===u;)c++;let[p,d]=[c<s.columns?r/2:0,i<s.rows-1?o/2:0];a+=Z("rect",{x:n.left+l*r,y:n.top+i*o,width:(c-l)*r+p,height:o+d,...mt(u)})}return Z("g",{"shape-rendering":"crispEdges"},a)}function fp(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),Va(s.toDataURL("image/png"),e,n)}var Va=(t,e,{left:n,top:s,width:r,height:o})=>t.length<10?"":Z("image",{x:n,y:s,width:r,height:o,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),Ja={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},$p=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function gp(t,e,n){let[s,r]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),o=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:r,overflow:o};return Z("svg",a,[...t.childNodes].map(i=>Xa(i,Ja)).join(""))}function Xa(t,e){if(t.nodeType===Node.TEXT_NODE)return Be(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!$p.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let r={...e};for(let a of Object.keys(Ja)){delete s[a];let i=/^(fill|stroke)$/.test(a)?xp(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=r[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let o=[...t.childNodes].map(a=>Xa(a,r)).join("");return Z(t.localName==="a"?"g":t.localName,s,o)}function xp(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=mt(t);return e?e["fill-opacity"]?t:e.fill:"none"}function mt(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:yp(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let r=n.slice(1,4).map(o=>Math.round(Number(o)).toString(16).padStart(2,"0")).join("");return{[e]:`#${r}`,[`${e}-opacity`]:s<1?s:null}}var Ie=null;function yp(t){Ie??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),Ie.clearRect(0,0,1,1),Ie.fillStyle=t,Ie.fillRect(0,0,1,1);let[e,n,s]=Ie.getImageData(0,0,1,1).data;return`#${[e,n,s].map(r=>r.toString(16).padStart(2,"0")).join("")}`}function Z(t,e={},n=""){let s=`<${t}`;for(let[r,o]of Object.entries(e))o!=null&&o!==""&&(s+=` ${r}="${Be(typeof o=="number"?We(o):o)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var We=t=>String(Math.round(t*100)/100),Be=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function nt({name:t,of:e,numbers:n,saves:s,ask:r,view:o,state:a,place:i}){let[l,c]=j(!1),[u,p]=j({text:"",error:!1}),[d,m]=j(!1),f=D(null),$=V(),g=w=>{c(!1),w&&f.current?.querySelector("button").focus()};W(()=>{if(!l)return;f.current.querySelector("[role=menuitem]").focus();let w=M=>f.current?.contains(M.target)||c(!1);return document.addEventListener("pointerdown",w),()=>document.removeEventListener("pointerdown",w)},[l]);let x=()=>nr(e.current,t),v=[["Picture, SVG",async()=>He(t,"svg",new Blob([x()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>He(t,"png",await Ha(x()))],n&&["Numbers, CSV",async()=>He(t,"csv",new Blob([Ra(await n())],{type:"text/csv;charset=utf-8"}))],n&&i!=="file"&&["Numbers, NPZ",async()=>He(t,"npz",await vp(r,await n()))],s&&i!=="file"&&["This view, HTML",async()=>He(t,"html",await wp(r,o,a,s()))],i==="page"&&["Copy a link",async()=>bp(location.href)]].filter(Boolean),b=async w=>{m(!0),p({text:"",error:!1});try{p({text:await w(),error:!1}),g(!0)}catch(M){p({text:M.message,error:!0})}m(!1)};return h`<div class="menu" ref=${f} data-unpictured onKeyDown=${w=>{if(w.key==="Escape"&&l)return w.stopPropagation(),g(!0);if(!l){w.key==="ArrowDown"&&(w.preventDefault(),c(!0));return}let M=[...f.current.querySelectorAll("[role=menuitem]")],A=M.indexOf(document.activeElement);A>=0&&w.key!=="ArrowLeft"&&w.key!=="ArrowRight"&&M[Ft(w,A,M.length,1)??A].focus()}}
    onFocusOut=${w=>w.relatedTarget&&!f.current.contains(w.relatedTarget)&&g(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(l)} aria-controls=${l?$:null} onClick=${()=>c(!l)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${l&&h`<div id=${$} role="menu" aria-label="Export" aria-busy=${String(d)}>
      ${v.map(([w,M])=>h`<button role="menuitem" tabindex="-1" disabled=${d} onClick=${()=>b(M)}>${w}</button>`)}
      ${d&&h`<p class="waiting" role="none">saving …</p>`}
      ${u.error&&h`<p class="error" role="none">${u.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${u.text}</span>
  </div>`}function He(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,r=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(r),r.click(),r.remove(),setTimeout(()=>URL.revokeObjectURL(r.href),6e4),`${s} was saved`}async function vp(t,e){let n=({shape:i,data:l})=>({shape:i,data:ys(new Uint8Array(Float64Array.from(l,c=>c??NaN).buffer))}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:r,data:o,offset:a}=await t("npz",s);return new Blob([new Uint8Array(o,a)],{type:r.kind})}async function bp(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function wp(t,e,n,s){let r=await t("frame",{}),o=[...new Map(s.map(u=>[JSON.stringify(u),u])).values()],a=[],i=0;for(let u=0;u<o.length;u+=4){let p=o.slice(u,u+4);if((await Promise.all(p.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let $=m.packed instanceof Uint8Array?ys(m.packed):m;a.push([...p[f],$]),i+=typeof $=="string"?$.length:JSON.stringify($).length}),i>r.max_answers)throw new Error(`a saved file must have at most ${r.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:r.version,date:l});return new Blob([r.before,c.replaceAll("<","\\u003c"),r.after],{type:"text/html;charset=utf-8"})}var Ga=new WeakMap;function rr(t,e,n,s,r=s){if(s===1&&r===1)return{data:t,rows:e,columns:n,down:s,right:r,at:null};let o=Ga.get(t);if(o?.down===s&&o.right===r)return o;let[a,i]=[Math.ceil(e/s),Math.ceil(n/r)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:r,at:new Uint32Array(a*i)};for(let c=0,u=0;c<e;c++)for(let p=0,d=Math.floor(c/s)*i,m=r;p<n;p++,u++){let[f,$]=[t[u]<0?-t[u]:t[u],l.data[d]<0?-l.data[d]:l.data[d]];f>$&&(l.data[d]=t[u],l.at[d]=u+1),--m===0&&(d++,m=r)}return Ga.set(t,l),l}function jn(t,e,n,s,r,o,a=2048){let i=rr(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Yt(r).buffer),c=new ImageData(i.columns,i.rows),u=new Uint32Array(c.data.buffer);for(let p=0;p<u.length;p++)u[p]=l[Tn(i.data[p],r,o)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(p,d)=>St(i.data[p*i.columns+d],r,o)}}var sr=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],Rn=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Dn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>Rn(n,e).length));function Qa(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=sr[0].least?s:Math.min(n-Dn(t,sr[1]),600)}function Nt(t){let{data:e,rows:n,columns:s,scale:r="weight",limit:o=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:u,onPoint:p,says:d,side:m=520}=t,f=lt(),$=D(null),g=V(),[x,v]=j(null),b=Math.max(Math.min(m/Math.max(n,s),56),.001),[y,w]=[b*s,b*n],M=sr.find(({least:C})=>b>=C),A=M&&l&&Dn(l,M)-M.space>b,_=M&&i?Dn(i,M):0,T=M&&l?6+(A?Dn(l,M):M.space):0,k={fontSize:`${Math.min(M?.size,b)}px`};it(()=>{jn($.current,e,n,s,r,o)},[e,n,s,r,o,f]),W(()=>v(null),[n,s]);let P=C=>{let S=$.current.getBoundingClientRect(),[O,L]=[Math.floor((C.clientY-S.top)/S.height*n),Math.floor((C.clientX-S.left)/S.width*s)];return O>=0&&L>=0&&O<n&&L<s?[O,L]:null},N=C=>(v(C),p?.(...C??[null,null])),R=d??((C,S)=>`${i?.[C]??`row ${C}`} to ${l?.[S]??`column ${S}`}: ${z(e[C*s+S])}`),B=C=>{let[S,O]=x??c??[0,0],L=C.shiftKey?Math.max(1,Math.round(s/16)):1,F={ArrowUp:[-L,0],ArrowDown:[L,0],ArrowLeft:[0,-L],ArrowRight:[0,L],Home:[0,-O],End:[0,s-1-O]}[C.key];F?(C.preventDefault(),N(x?[Ya(S+F[0],n),Ya(O+F[1],s)]:[S,O])):(C.key==="Enter"||C.key===" ")&&x&&(C.preventDefault(),u?.(S,O))},E=(C,S)=>C&&h`<rect class=${S} x=${_+C[1]*b} y=${T+C[0]*b} width=${Math.max(b,2)} height=${Math.max(b,2)} />`;return h`<div class="heatmap" style=${{width:`${_+y}px`,height:`${T+w}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${g}
    onKeyDown=${B} onBlur=${()=>N(null)} onPointerLeave=${()=>N(null)}
    onPointerMove=${C=>N(P(C))}
    onClick=${C=>P(C)&&u?.(...P(C))}>
    <canvas ref=${$} style=${{left:`${_}px`,top:`${T}px`,width:`${y}px`,height:`${w}px`}}></canvas>
    <svg width=${_+y} height=${T+w} aria-hidden="true">
      ${M&&i?.map((C,S)=>h`<text class="tick" style=${k} x=${_-6} y=${T+(S+.5)*b} dy="0.35em" text-anchor="end">${Rn(C,M)}</text>`)}
      ${M&&l?.map((C,S)=>A?h`<text class="tick" style=${k} transform=${`translate(${_+(S+.5)*b},${T-6}) rotate(-90)`} dy="0.35em">${Rn(C,M)}</text>`:h`<text class="tick" style=${k} x=${_+(S+.5)*b} y=${T-6} text-anchor="middle">${Rn(C,M)}</text>`)}
      ${E(c,"pinned")}${E(x,"cursor")}
    </svg>
    <span id=${g} class="unseen" aria-live="polite">${x?R(...x):c?R(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var Ya=(t,e)=>Math.max(0,Math.min(e-1,t));function fe({scale:t="weight",limit:e=1,label:n="weight"}){let s=lt(),r=D(null);return it(()=>{let o=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>o+(e-o)*l/127);jn(r.current,a,1,128,t,e)},[t,e,s]),h`<div class="legend"><span>${t==="signed"?z(-e,2):0}</span><canvas ref=${r} aria-hidden="true"></canvas><span>${z(e,2)}</span><span class="of">${n}</span></div>`}function ni({ask:t,row:e,document:n,state:s,place:r}){let[o,a]=j(!1),{response:i,error:l,waiting:c}=X(t,"claim",{id:e.id,run:o}),u=D(null),p=i?.id===e.id?i:null,d=p?.verdict??e.verdict,m=p!==null&&p.verdict===null;return h`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!p?.verdict)}>
    <div ref=${u}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${zp} verdict=${d} /><span class="note">${m?"a run decides":Ue(d).about}</span>
        <${nt} name=${`claim-${e.id}`} of=${u} numbers=${p?.chart?()=>Lp(p.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${r} /></div>
      ${p?.verdict&&!p.verdict.startsWith(p.expected)&&h`<p class="error">The catalogue expects: ${p.expected}.</p>`}
    </header>
    ${p?h`<${Zt} class="claims-question-asked" text=${p.asks} />`:h`<p class="claims-question-asked">${e.asks}</p>`}
    <${I} error=${l} waiting=${c&&!o}>checking …</${I}>
    ${m&&h`<${kp} claim=${p} running=${o&&c} place=${r} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${p&&h`<div class="claims-versions">${p.versions.filter(f=>f.role!=="twin").map(f=>h`<${si} version=${f} />`)}</div>
      ${p.chart&&h`<${Ep} chart=${p.chart} />`}`}</div>
    ${p&&h`<${_p} claim=${p} ask=${t} place=${r} />`}
  </article>`}function _p({claim:t,ask:e,place:n}){let s=t.versions.find(r=>r.role==="twin");return h`
    ${t.see&&n==="page"&&h`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&h`<section class="claims-box">
      <h3>Try an answer</h3><${Sp} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${Zt} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&h`<dl class="claims-letters">${t.quantities.map(([r,o])=>h`<${Zt} tag="dt" text=${r} /><${Zt} tag="dd" text=${o} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${si} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Zt} text=${t.method} />
      ${t.source&&h`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&h`<p>In the code: ${t.code.map((r,o)=>h`${o?", ":""}<code>${r}</code>`)}</p>`}
      ${t.verdict&&h`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var Za=6;function si({version:t}){let e=[...t.findings].sort((s,r)=>s.holds-r.holds),n=e.length>Za+1?Za:e.length;return h`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${Zt} class="claims-text" text=${t.text} />
    ${t.formula&&h`<${Zt} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&h`<${ti} findings=${e.slice(0,n)} />`}
    ${n<e.length&&h`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${ti} findings=${e.slice(n)} /></details>`}
  </section>`}var ti=({findings:t})=>h`<ul class="claims-findings">${t.map(e=>h`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function kp({claim:t,running:e,place:n,onRun:s,onStop:r}){let[o,a]=j(0);return W(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),h`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?h`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(o,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(o)} s</span>
          <button onClick=${r}>Stop</button></div>`:n==="file"?h`<${Qt} place=${n} what="run it" />`:h`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function Zt({text:t,tag:e="div",class:n,label:s}){let r=D(null);return it(()=>{if(r.current.innerHTML=t,!s)return;r.current.scrollWidth>r.current.clientWidth+1?r.current.tabIndex=0:r.current.removeAttribute("tabindex")},[t,s]),h`<${e} ref=${r} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var Mp={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function Sp({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return h`<div class="claims-questions">
    ${n.map(s=>{let r=e.filter(o=>o.question===s);return h`<div class="claims-question" key=${s} data-question=${s}>
        <p>${r[0].text}</p>
        ${r.map((o,a)=>h`<${Np} key=${`${s} ${o.part}`} ask=${t} exercise=${o} tells=${o.how!==r[a-1]?.how} />`)}
      </div>`})}
    <${Tp} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var or=new Map;function Np({ask:t,exercise:e,tells:n}){let{question:s,part:r,asks:o,kind:a,how:i,choices:l,examples:c}=e,u=V(),p=`${s} ${r}`,[d,m]=j(or.get(p)??""),[f,$]=j(or.get(p)??null),{response:g,error:x,waiting:v,of:b}=X(t,"answer",f===null?null:{question:s,part:r,answer:f}),y=A=>{m(A),A.trim()&&(or.set(p,A.trim()),$(A.trim()))},w=a==="truth"?[["true","true"],["false","false"]]:Object.entries(l),M=f!==null&&d.trim()===f&&b===JSON.stringify({question:s,part:r,answer:f});return h`<div class="claims-try" data-part=${r}>
    ${o&&h`<p class="claims-asks" id=${`${u}-asks`}>${o}</p>`}
    ${w.length?h`<div class=${`claims-options ${a}`} role="group" aria-label=${o||"Your answer"}>${w.map(([A,_])=>h`<button aria-pressed=${String(f===A)} onClick=${()=>y(A)}>
            ${a==="choice"?h`<b>${A}</b> ${_}`:_}
          </button>`)}</div>`:h`<form class="claims-form" onSubmit=${A=>(A.preventDefault(),y(d))}>
          <label class="unseen" for=${u}>${`Your answer${o?`: ${o}`:""}`}</label>
          <input id=${u} type="text" value=${d} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${u}-how`}
            placeholder="your answer" onInput=${A=>m(A.target.value)} />
          <button class="main" type="submit" disabled=${!d.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${u}-how`}>Write ${i}.</p>
        ${c.length>0&&h`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(A=>h`<button class="claims-example" onClick=${()=>y(A)}>${A}</button>`)}</p>`}`}
    <${I} error=${x} waiting=${v}>marking …</${I}>
    <div role="status" aria-live="polite">${M&&!x&&h`<${Cp} mark=${g} />`}</div>
  </div>`}function Cp({mark:t}){let[e,n]=Mp[t.word],s=t.counterexample,r=Object.entries(s?.breakdown??{});return h`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&h`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&h`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&h`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([o,a])=>`${o} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${r.length>0&&h`<small>${r.map(([o,a],i)=>`${i?" + ":" = "}${a} (${o})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(o=>h`<p>${o}</p>`)}
  </div>`}var Ap={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function Tp({kinds:t}){let e=Object.entries(Ap).filter(([n])=>t.has(n));return e.length?h`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>h`<dt>${n}</dt><dd>${s.map((r,o)=>h`${o?", ":""}<code>${r}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function Ep({chart:t}){return h`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&h`<${Pt} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${ri(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&h`<${Wa} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${Op} chart=${t} />`}
    ${t.kind==="matrices"&&h`<${Pp} chart=${t} />`}
  </div>`}var ri=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,r])=>({name:s,x:t,y:r,low:n?.[s]?.[0],high:n?.[s]?.[1]})),oi=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function Op({chart:t}){return h`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>h`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>h`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>h`<td class="number">${z(s[n])}</td>`)}</tr>`)}</tbody>
  </table></div>`}function Pp({chart:t}){let[e,n]=j(null),[s,r]=G(),o=H(()=>oi(t),[t]),{signed:a,limit:i}=t,l=o.length===1?1:Math.max(2,Math.floor((r+24)/(o.length>4?164:250))),c=Math.min(o.length===1?420:260,(r-24*(l-1))/l-(t.rows?30:0)),u=a?"signed":"weight",p=(m,f)=>m??(f<=12?Array.from({length:f},($,g)=>String(g+1)):void 0),d=(m,f,$)=>{let[g,x]=[t.rows?.[f]??f+1,t.columns?.[$]??$+1];return`${m.name}, ${t.row_label} ${g}, ${t.column_label} ${x}: ${z(m.values[f*m.columns+$])}`};return h`<div ref=${s}>
    ${r>0&&h`<div class="claims-panels">${o.map(m=>h`<figure>
      <figcaption>${m.name}</figcaption>
      <${Nt} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${u} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${p(t.rows,m.rows)} columnNames=${p(t.columns,m.columns)}
        says=${(f,$)=>d(m,f,$)} onPoint=${(f,$)=>n(f===null?null:d(m,f,$))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${fe} scale=${u} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function Lp(t){if(t.kind==="matrices"){let n=({rows:s,columns:r,values:o})=>({shape:[s,r],data:o,rows:t.rows,columns:t.columns});return Object.fromEntries(oi(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...ei(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:r,high:o}of ri(t))e.push([n,s],...r?[[`${n}, low`,r],[`${n}, high`,o]]:[]);return{[t.y_label]:ei(e)}}var ei=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),ar={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},Ue=t=>ar[t.split(":")[0]],ai=({verdict:t})=>h`<span class=${`claims-sign claims-${Ue(t).kind}`} role="img" aria-label=${t} title=${t}>${Ue(t).sign}</span>`,zp=({verdict:t})=>h`<span class=${`claims-badge claims-${Ue(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${Ue(t).sign}</span>${t}
  </span>`;function Rp(t){let{response:e,error:n,waiting:s}=X(t.ask,"catalogue",{});return e?h`<${Dp} ...${t} catalogue=${e} />`:h`<${I} error=${n} waiting=${s}>reading the catalogue …</${I}>`}function Dp(t){let{ask:e,state:n,place:s,catalogue:{rows:r,documents:o}}=t,a=r.find(({id:l})=>l===n.claim),i=a?h`<${ni} key=${a.id} ask=${e} row=${a} document=${o[a.document]} state=${n} place=${s} />`:h`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return h`<div class="claims">${s==="file"?i:h`<${jp} ...${t}>${i}<//>`}</div>`}function jp({state:t,change:e,catalogue:n,children:s}){let{documents:r}=n,o=H(()=>Wp(n),[n]),a=Bp(o,t.search),i=(f,$)=>!t[$]||f[$]===t[$],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),u=l.filter(f=>i(f,"verdict")),p=([f,$])=>[f,`${$} (${c.filter(g=>g.document===f).length})`],d=Ip(t.claim);return h`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!u.length||(f.key==="Enter"&&e({claim:u[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),d.current.querySelector("button").focus()))}}>
        <${pt} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${et} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(r).map(p)]} />
      </div>
      <${qp} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${Fp} rows=${u} documents=${r} current=${t.claim} list=${d}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function qp({rows:t,verdict:e,onChange:n}){let s=Object.entries(ar).filter(([r])=>r!=="unsettled");return h`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([r,{sign:o,kind:a}])=>h`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===r)}
      onClick=${()=>n(e===r?"":r)}>
      <span aria-hidden="true">${o}</span>${r}<span class="claims-count">${t.filter(i=>i.verdict===r).length}</span></button>`)}
  </div>`}function Fp({rows:t,documents:e,current:n,list:s,onOpen:r,onClear:o}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return h`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],u=c.indexOf(l.target),p={ArrowDown:u+1,ArrowUp:u-1,Home:0,End:c.length-1}[l.key];u<0||p===void 0||(l.preventDefault(),c[p]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&h`<p class="claims-none">No claims found. <button onClick=${o}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let u=t.filter(p=>p.document===l);return u.length>0&&h`<section key=${l}><h3>${c}</h3><ul>${u.map(p=>h`<li key=${p.id}><button data-id=${p.id} aria-current=${p.id===n?"true":null} tabindex=${p.id===a?0:-1}
          onClick=${()=>r(p.id)}>
          <${ai} verdict=${p.verdict} /><span class="claims-title">${p.title}</span><code>${p.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function Ip(t){let e=D(null);return W(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,r]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(r.top<s.top||r.bottom>s.bottom)&&(e.current.scrollTop+=r.top-s.top-s.height/3)},[t]),e}var ii={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:Rp},ir=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),li=t=>ir(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function Wp({rows:t,documents:e}){return t.map(n=>{let s=ir(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:li(s)}})}function Bp(t,e){let n=ir(e).split(/\s+/).filter(Boolean),s=t.filter(({text:r})=>n.every(o=>r.includes(o)));return s.length?s.map(({row:r})=>r):t.filter(({words:r})=>li(e).every(o=>r.some(a=>Hp(o,a)))).map(({row:r})=>r)}function Hp(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>Up(t,e.slice(0,t.length+n))<=1)}function Up(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,r]=[t.slice(n),e.slice(n)];if(!s&&!r)return 0;let o=s.length>1&&s[0]===r[1]&&s[1]===r[0]&&s.slice(2)===r.slice(2);return s.slice(1)===r.slice(1)||s.slice(1)===r||s===r.slice(1)||o?1:2}function ui({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function lr(t,e,n){let s=(r,o)=>n===0?r:r+n*(o-r);return{centre:e.centre.map((r,o)=>s(t.centre[o],r)),precision:e.precision.map((r,o)=>s(t.precision[o],r))}}function Ke(t,e,n){let s=Math.floor(e),r=(o,a)=>{let i=(o*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:u}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(u*i,u*(i+1))]}};return Array.from({length:t.heads},(o,a)=>e===s?r(s,a):lr(r(s,a),r(s+1,a),e-s))}var qn=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function pi(t){let[e,n,s]=qn(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function $e(t,e){let[n,s,r]=qn(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.sqrt(-Math.log1p(-e)),l=o<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-o,1e-12)),short:i/Math.sqrt(a+o),angle:l?0:Math.atan2(2*s,r-n)/2+Math.PI/2}}function Fn(t){let[e,n,s]=qn(t);return(4*(e*s-n*n))**-.25}var Kp=60,Vp=.002;function hi(t,e){let[n,s,r]=qn(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.min(1,Vp/Math.max(a-o,1e-9)),l=Math.max(i,Math.min(Math.max(1,Kp/(a+o)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var cr=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function di(t,e){let n=1.5,s=t.side>>1;for(let r=0;r<t.steps.length;r++){let o=2*(r*t.layers+e)*t.heads;for(let a of t.centres.subarray(o,o+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var ht=t=>`heads-hue-${t%6+1}`,In=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],ci=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,Wn=([t,e])=>`${ci(t,"down","up")}, ${ci(e,"right","left")}`;function fi({found:t,maps:e,head:n,precision:s,centre:r,onQuery:o}){let[a,i]=j(null),{h:l,w:c,query:u}=t,p=e.subarray(n*l*c,(n+1)*l*c),d=p.reduce((f,$)=>Math.max(f,$),0),m=t.heads[n];return h`<div class="heads-beside">
    <${Nt} data=${p} rows=${l} columns=${c} limit=${d} side=${160} chosen=${u} label=${`Weights of head ${n+1} from the query`}
      says=${(f,$)=>`row ${f}, column ${$}: ${z(p[f*c+$])}`} onChoose=${(f,$)=>o([f,$])}
      onPoint=${(f,$)=>i(f===null?null:[f,$])} />
    <div>
      <${fe} limit=${d} />
      <p class="heads-facts">${Wn(r)}<br />width ${z(Fn(s),2)}</p>
      <p class="hint">${a?h`row ${a[0]}, column ${a[1]}: <b data-weight>${z(p[a[0]*c+a[1]])}</b>`:`Away from borders its largest weight is ${z(100*(1-m.softness),2)} %.`}</p>
    </div>
  </div>`}var Jp=t=>t.map(e=>String(e).replace("-","−")).join(", "),mi=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function $i({found:t,chosen:e,onChoose:n}){let[s,r]=t.kernel_size,o=Math.min(54,174/r),a=([u,p])=>[(p+(r-1)/2)*o,(u+(s-1)/2)*o],i=o>=46,l=t.heads.map((u,p)=>({...u,head:p})).filter(u=>u.tap),c=[...t.free,...l.map(u=>u.tap)].filter(u=>t.heads.some(p=>mi(p.peak,u)));return h`<div class="heads-beside">
    <svg class="heads-kernel" width=${r*o+2} height=${s*o+2} viewBox=${`-1 -1 ${r*o+2} ${s*o+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${r}`}>
      ${t.free.map(u=>h`<rect class="free" x=${a(u)[0]} y=${a(u)[1]} width=${o-3} height=${o-3} rx="5" />`)}
      ${l.map(({head:u,tap:p,distance:d,peak:m,softness:f})=>{let[$,g]=a(p),x=mi(m,p),v=x?1-f:0,b=v*(o-3),y=x?`${z(100*v,2)} % of its weight there`:"its weight is largest elsewhere",w=x?`${z(100*v,1)} %`:`${z(d,2)} off`,M=$+(o-3)/2;return h`<g class=${`heads-tap ${ht(u)} ${u===e?"chosen":""} ${x?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${u===e} aria-label=${`Tap ${Jp(p)}: head ${u+1}, ${z(d,2)} away, ${y}`}
          onClick=${()=>n(u)} onKeyDown=${A=>A.key==="Enter"&&n(u)}>
          <rect class="cell" x=${$} y=${g} width=${o-3} height=${o-3} rx="5" />
          <rect class="share" x=${$} y=${g+o-3-b} width=${o-3} height=${b} rx="5" />
          <text class="name" x=${M} y=${g+(i?o*.4:(o-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${u+1}</text>
          ${i&&h`<text class="away" x=${M} y=${g+o*.72} text-anchor="middle">${w}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*r} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var Xp=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function gi({found:{convolution:t,reason:e,h:n,w:s},isEven:r}){if(!t)return h`<p>There is no certificate: ${e}</p>`;let o=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,p])=>p!==null),i=p=>Math.min(1,p/o),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${z(o)}.`,u=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return h`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}>${z(t.bound)}</b> of a convolution with ${Xp(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${u}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([p,d,m])=>h`<tr><th scope="row">${p}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(d)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}>${z(d)}</td></tr>`)}
    </tbody></table>
    <p class="hint">${r?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?h` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":h`Below 1 % at these centres: a precision of <b>${z(t.sharpness)}</b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var Gp={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function xi({found:t,onChoose:e}){let n=t.heads.flatMap((r,o)=>r.kinds.map(a=>[o,a])),s=r=>h`<button class="heads-name quiet" onClick=${()=>e(r)}><span class=${`heads-dot ${ht(r)}`} />Head ${r+1}</button>`;return t.unexamined?h`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?h`<p class="hint">None: every head looks at a place of its own.</p>`:h`<ul class="heads-odd">
    ${n.map(([r,o])=>h`<li data-kind=${o}>${s(r)} ${Gp[o]}</li>`)}
    ${t.alike.map(r=>h`<li data-kind="alike">Heads ${r.map(o=>o+1).join(", ")} have the same map</li>`)}
  </ul>`}var yi={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function bi({heads:t,side:e,margin:n,query:s,chosen:r,image:o,trail:a,at:i,onPlace:l,onNudge:c,onWiden:u,onChoose:p,onQuery:d}){let[m,f]=G(),$=D(null),g=D(null),x=V(),v=Math.min(f,620)/(e+2*n),b=v*(e+2*n),y=S=>(S+n+.5)*v,w=S=>(S+n+.5)*v,M=S=>{let O=$.current.getBoundingClientRect();return[(S.clientY-O.top)/v-n-.5,(S.clientX-O.left)/v-n-.5]},A=S=>{let[O,L]=M(S).map(Math.round);Math.min(O,L)>=0&&Math.max(O,L)<e&&d([O,L])},_=(S,O)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),g.current=O},T={onPointerMove:S=>g.current?.(S),onPointerUp:()=>g.current=null,onPointerCancel:()=>g.current=null},k=S=>O=>{p(S);let[L,F]=M(O),[ot,Tt]=[t[S].centre[0]+s[0]-L,t[S].centre[1]+s[1]-F];_(O,tn=>{let[sc,rc]=M(tn);l(S,[sc+ot-s[0],rc+Tt-s[1]])})},P=S=>{let O=t[r].precision,L=ot=>Math.max(Math.hypot(...M(ot).map((Tt,tn)=>Tt-t[r].centre[tn]-s[tn])),.1),F=L(S);_(S,ot=>u(r,(F/L(ot))**2,O))},N=S=>O=>{let L=yi[O.key],F={"+":1,"=":1,"-":-1,"−":-1}[O.key];if(L)c(S,L.map(ot=>ot*(O.shiftKey?1:.1)));else if(F)u(S,1.1**(-2*F));else return;O.preventDefault()},R=S=>{let O=yi[S.key];O&&(S.preventDefault(),d(s.map((L,F)=>Math.max(0,Math.min(e-1,L+O[F])))))},B=([S,O])=>[y(O+s[1]),w(S+s[0])].map(L=>Math.max(13,Math.min(b-13,L))),[E,C]=t[r]?B(t[r].centre):[];return h`<div class="heads-picture" ref=${m}>
    ${f>0&&h`<svg ref=${$} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${x} ...${T}>
      <g class="heads-pixels" onPointerDown=${S=>(A(S),g.current=A)}>
        <rect class="heads-board" x=${y(-.5)} y=${w(-.5)} width=${e*v} height=${e*v} />
        ${o&&Array.from(o,(S,O)=>S>0&&h`<rect class="heads-shade" width=${v} height=${v}
          x=${y(O%e-.5)} y=${w(Math.floor(O/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,O)=>h`
          <line x1=${y(O-.5)} x2=${y(O-.5)} y1=${w(-.5)} y2=${w(e-.5)} />
          <line y1=${w(O-.5)} y2=${w(O-.5)} x1=${y(-.5)} x2=${y(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,O)=>h`<${Yp} head=${O} ...${S} query=${s} x=${y} y=${w} scale=${v} chosen=${O===r} />`)}
      </g>
      ${a&&h`<g aria-hidden="true" class=${`heads-trail ${ht(r)}`}>
        <polyline class="rest" points=${a.map(([S,O])=>`${y(O+s[1])},${w(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,O])=>`${y(O+s[1])},${w(S+s[0])}`).join(" ")} />
        <circle cx=${y(a[0][1]+s[1])} cy=${w(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${R} onPointerDown=${S=>_(S,A)}>
        <rect x=${y(s[1]-.5)} y=${w(s[0]-.5)} width=${v} height=${v} rx="3" />
        <circle cx=${y(s[1])} cy=${w(s[0])} r="3" />
      </g>
      ${t.map((S,O)=>h`<g class=${`heads-knob ${ht(O)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${O}
        aria-label=${`Head ${O+1}: ${Wn(S.centre)}, width ${z(Fn(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>p(O)} onKeyDown=${N(O)} onPointerDown=${k(O)}>
        <${vi} head=${O} at=${B(S.centre)} />
      </g>`)}
      ${t[r]&&h`<g class=${`heads-knob chosen ${ht(r)}`} aria-hidden="true"><${vi} head=${r} at=${[E,C]} /></g>
        <${Qp} precision=${t[r].precision} cx=${E} cy=${C} scale=${v} size=${b} onGrab=${P} />`}
    </svg>`}
    <p id=${x} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function Yp({head:t,centre:e,precision:n,query:s,x:r,y:o,scale:a,chosen:i}){let[l,c]=[r(e[1]+s[1]),o(e[0]+s[0])],u=(p,d)=>{let{long:m,short:f,angle:$}=$e(n,p);return h`<ellipse class=${d} rx=${m*a} ry=${f*a} stroke-dasharray=${d==="half"?In(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${$*180/Math.PI})`} />`};return h`<g class=${`${ht(t)} ${i?"chosen":""}`}>${u(.9,"most")}${u(.5,"half")}</g>`}var vi=({head:t,at:[e,n]})=>h`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function Qp({precision:t,cx:e,cy:n,scale:s,size:r,onGrab:o}){let{long:a,angle:i}=$e(t,.5),l=Math.max(a*s,19),c=($,g)=>Math.min($,g)>6&&Math.max($,g)<r-6,u=[i,i+Math.PI].map($=>{let g=l;for(;g>19&&!c(e+g*Math.cos($),n+g*Math.sin($));)g-=4;return[Math.max(g,19),$]}),[p,d]=u[0][0]>=u[1][0]?u[0]:u[1],[m,f]=[e+p*Math.cos(d),n+p*Math.sin(d)];return h`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${o}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var Ve=74;function wi({record:t,at:e,layer:n,onChange:s}){let r=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),o=Ve/(2*r+2),a=D(null),i=l=>{let c=Ft(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return h`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>h`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-Ve/2} ${-Ve/2} ${Ve} ${Ve}`} aria-hidden="true">
        <rect class="heads-here" x=${-o/2} y=${-o/2} width=${o} height=${o} />
        ${Ke(t,e,c).map(({centre:u,precision:p},d)=>{let{long:m,short:f,angle:$}=$e(p,.5);return h`<ellipse class=${ht(d)} stroke-dasharray=${In(d)&&"3 2"} rx=${Math.max(m*o,1.5)} ry=${Math.max(f*o,1.5)}
            transform=${`translate(${u[1]*o},${u[0]*o}) rotate(${$*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function _i(t,e,n){let[s,r]=j(null),o=D(null);o.current={index:e,onStep:n};let a=s!==null,i=t-1;return W(()=>{if(!a)return;let u=o.current.index>=i?0:o.current.index,p=Math.min(400,Math.max(40,7e3/Math.max(i,1))),d=null,m=o.current.index,f=g=>{d??=g;let x=Math.min(i,u+(g-d)/p);Math.floor(x)!==m&&o.current.onStep(m=Math.floor(x)),r(x>=i?null:x),x<i&&($=requestAnimationFrame(f))},$=requestAnimationFrame(f);return()=>cancelAnimationFrame($)},[a,i]),{at:s,isPlaying:a,toggle:()=>{qt()?n(e>=i?0:e+1):r(a?null:e>=i?0:e)},stop:()=>r(null)}}function ki({record:t,index:e,playing:n,onStep:s}){let[r,o]=G(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[u,p]=[8,o-8],d=y=>u+(p-u)*y/Math.max(a,1),m=(l??[]).filter(y=>y!==null),[f,$]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],g=y=>c-6-(c-12)*(y-f)/($-f||1),x=De().defined(y=>y!==null).x((y,w)=>d(w)).y(g),v=qt()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([y,w])=>[y.replace("_"," "),w[e]]).filter(([y,w])=>w!==null&&y!=="loss").map(([y,w],M)=>h`${M?" · ":""}${y} <b data-curve=${y}>${y==="accuracy"?`${(100*w).toFixed(1)} %`:z(w)}</b>`);return h`<div class="heads-course" ref=${r}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${v}</button><span class="hint">${qt()?"":"or the space bar"}</span></div>
    <${rt} label="Step" value=${e} min=${0} max=${a} step=${1} says=${y=>t.steps[y].toLocaleString("en")} onChange=${s} />
    ${l&&o>0&&h`<svg width=${o} height=${c} role="img" aria-label=${`${i} over training: ${z(m[0])} to ${z(m.at(-1))}`}>
      <line class="base" x1=${u} x2=${p} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${x(l)} />
      <line class="mark" x1=${d(n.at??e)} x2=${d(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&h`<circle class="dot curve-1" cx=${d(e)} cy=${g(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var Zp=4,ur=t=>Number(t.toFixed(2)),th={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},Mi=t=>typeof t=="string"?t:null;function eh({ask:t,state:e,change:n,place:s}){let r={...e,run:Mi(e.run),training:Mi(e.training)},o=X(t,"recorded",{}),a=o.response?.trainings??[],i=f=>f.run===r.run&&(r.training===null||f.training===r.training),l=r.run===null?a[0]:a.find(i),c=o.response&&a.some(f=>f.run===r.run)&&r.training,u=l?{run:l.run,training:l.training}:c?{run:r.run,training:r.training}:null,p=X(t,"heads",u),d=H(()=>p.response&&ui(p.response),[p.response]);if(!d){let f=o.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",$=o.response&&!u&&!f&&`The run ${r.run} has recorded no gaussian heads; choose another.`,g=u??{run:r.run,training:""};return h`<${I} error=${o.error??p.error??(f||$||null)} waiting=${o.waiting||p.waiting}>reading the recording …<//>
      ${(p.error||$)&&a.length>0&&h`<${Si} trainings=${[g,...a]} request=${g} change=${n} />`}`}let m={ask:t,change:n,place:s,record:d,trainings:a,request:u,hasValues:l?.has_values??!1,error:p.error};return h`<${sh} ...${m} state=${nh(r,d)} />`}function nh(t,{side:e,layers:n,heads:s,entries:r}){let o=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+r&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&pi(i.slice(2));return{...t,layer:de(t.layer,0,n-1,0),head:de(t.head,0,s-1,0),query:zn(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(o)),step:Number.isFinite(t.step)?t.step:null}}function sh({ask:t,state:e,change:n,place:s,record:r,trainings:o,request:a,hasValues:i,error:l}){let c=D(null),u=r.steps.length-1,{layer:p,head:d}=e,m=e.step===null?u:Math.max(0,r.steps.findLastIndex(L=>L<=e.step)),f=e.query??[r.side>>1,r.side>>1],$=L=>n({step:L===u?null:r.steps[L]}),g=_i(r.steps.length,m,$),x=(L,F)=>Ke(r,F,L).map((ot,Tt)=>rh(ot,e.moved[`${L}.${Tt}`])),v=x(p,m),[b,y]=oh(g.at===null?v:x(p,g.at)),w=e.values==="trained"&&i?{...a,layer:p}:null,M=L=>({centres:x(L,m).map(F=>F.centre),precisions:x(L,m).map(F=>F.precision),h:r.side,w:r.side,query:f,values:w&&{...w,layer:L}}),A=dt(t,"kernel",M(p)),_=A.error?null:A.response,T=_?.header.heads.length===r.heads?_.header:null,k=T&&new Float32Array(_.data,_.offset,T.heads.length*T.h*T.w),P=ah({state:e,change:n,record:r,layer:p,resting:v,found:T,glide:y}),N=v.every((L,F)=>e.moved[`${p}.${F}`])?v[d].precision[0]:null,R=Object.keys(e.moved).some(L=>L.startsWith(`${p}.`)),B=R&&e.moved[`${p}.${d}`]?null:r.steps.map((L,F)=>Ke(r,F,p)[d].centre),E=L=>{L.key!==" "||L.defaultPrevented||L.target.closest("button, select, summary, [role=button], input:not([type=range])")||(L.preventDefault(),g.toggle())},C=()=>[["recorded",{}],["heads",a],...Array.from({length:r.layers},(L,F)=>["kernel",M(F)])],S=()=>lh(r,v,T,k),O=L=>n({query:L});return h`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${E}>
    <div class="heads-left">
      <${q} title="Training">
        <div class="stack">
          <${gt} place=${s} what="choose another run"><${Si} trainings=${o} request=${a} change=${n} /><//>
          <${wi} record=${r} at=${g.at??m} layer=${p} onChange=${L=>n({layer:L})} />
          <${ki} record=${r} index=${m} playing=${g} onStep=${L=>(g.stop(),$(L))} />
        </div>
      <//>
      <div class="heads-below" data-unpictured><${q} title="Try it">
        <div class="stack heads-try">
          <${xt} onClick=${P.convolve} off=${!T}>Make it a convolution<//>
          ${N!==null&&h`<${rt} label="Sharpness" value=${Math.log10(N)} min=${-1} max=${1.5} step=${.02}
            says=${L=>z(10**L,2)} onChange=${L=>P.sharpen(Number((10**L).toPrecision(3)))} />`}
          <${xt} onClick=${P.back} off=${!R}>Back to the training<//>
          ${i&&h`<${tt} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${L=>n({values:L})} />`}
          ${r.image&&h`<${yt} label="Show the image" value=${e.image} onChange=${L=>n({image:L})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${q} title=${`Layer ${p+1}, step ${r.steps[m].toLocaleString("en")}${R?", heads moved":""}`}
        actions=${h`<${nt} name="heads" of=${c} numbers=${S} saves=${C} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each head looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${bi} heads=${b} side=${r.side} margin=${di(r,p)} query=${f} chosen=${d}
          image=${e.image?r.image:null} trail=${B} at=${g.at??m}
          onPlace=${P.place} onNudge=${P.nudge} onWiden=${P.widen} onChoose=${P.choose} onQuery=${O} />
        <${ih} head=${d} one=${v[d]} edits=${P} isRound=${r.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${I} error=${l} />
      <//>
      ${T&&h`<${q} title="Degenerate heads"><${xi} found=${T} onChoose=${P.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${T?h`
          <${q} title=${h`<span class=${`heads-dot ${ht(d)}`} />Head ${d+1} from the query`}>
            <${fi} found=${T} maps=${k} head=${d} ...${v[d]} onQuery=${O} />
          <//>
          <${q} title="The kernel that the heads make">
            <${$i} found=${T} chosen=${d} onChoose=${P.choose} />
          <//>
          <${q} title="Distance to a true convolution"><${gi} found=${T} isEven=${w===null} /><//>`:h`<${q} title="The kernel that the heads make">${s==="file"?h`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:h`<${I} error=${A.error} waiting=${A.waiting} />`}<//>`}
    </div>
  </div></div>`}var rh=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function oh(t){let[e,n]=j(1),s=D(t),r=e<1&&s.current.length===t.length?t.map((i,l)=>lr(s.current[l],i,e*e*(3-2*e))):t,o=e<1;return W(()=>{if(!o)return;let i=null,l=u=>{i??=u;let p=Math.min(1,(u-i)/380+.001);n(p),p<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[o]),[r,()=>{qt()||(s.current=r,n(0))}]}function ah({state:t,change:e,record:n,layer:s,resting:r,found:o,glide:a}){let i=D(null);i.current={moved:t.moved,resting:r};let l=(d,m)=>{let f={...i.current.moved,[`${s}.${d}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map(($,g)=>g===d?m:$)},e({moved:f,head:d})},c=1.5*n.side,u=(d,m)=>l(d,{...i.current.resting[d],centre:m.map(f=>ur(Math.max(-c,Math.min(c,f))))}),p=d=>({...t.moved,...Object.fromEntries(r.map((m,f)=>[`${s}.${f}`,d(m,f)]))});return{choose:d=>e({head:d}),place:u,nudge:(d,m)=>u(d,i.current.resting[d].centre.map((f,$)=>f+m[$])),widen:(d,m,f)=>l(d,{...i.current.resting[d],precision:hi(f??i.current.resting[d].precision,m)}),sharpen:d=>e({moved:p(m=>[...m.centre,...cr(n.entries,d)])}),convolve:()=>{a(),e({moved:p((d,m)=>[...o.heads[m].tap??d.centre,...cr(n.entries,Zp)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([d])=>!d.startsWith(`${s}.`)))})}}}function Si({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),o=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return h`<${et} label="Run" hidden value=${s(e)} options=${o} onChange=${a} />`}function ih({head:t,one:e,edits:n,isRound:s}){let r=o=>a=>n.place(t,e.centre.map((i,l)=>l===o?a:i));return h`<div class="heads-numbers">
    <span><span class=${`heads-dot ${ht(t)}`} />Head ${t+1}</span>
    <label>row <${me} label=${`Row of head ${t+1}'s centre`} value=${ur(e.centre[0])} onChange=${r(0)} /></label>
    <label>column <${me} label=${`Column of head ${t+1}'s centre`} value=${ur(e.centre[1])} onChange=${r(1)} /></label>
    ${s&&h`<label>precision <${me} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05}
      onChange=${o=>n.widen(t,o/e.precision[0],e.precision)} /></label>`}
  </div>`}function lh(t,e,n,s){let r=[t.steps.length,t.layers,t.heads],o={steps:{shape:[t.steps.length],data:t.steps},centres:{shape:[...r,2],data:t.centres},precisions:{shape:[...r,t.entries],data:t.precisions},centre:{shape:[t.heads,2],data:e.flatMap(d=>d.centre)},precision:{shape:[t.heads,t.entries],data:e.flatMap(d=>d.precision)}};if(!n)return o;let{heads:a,h:i,w:l,convolution:c,kernel_size:u}=n,p=d=>[d,{shape:[],data:[c[d]]}];return{...o,maps:{shape:[a.length,i,l],data:s},kernel_size:{shape:[u.length],data:u},taps:{shape:[a.length,2],data:a.flatMap(d=>d.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(d=>d.distance)},peaks:{shape:[a.length,2],data:a.flatMap(d=>d.peak??[null,null])},softness:{shape:[a.length],data:a.map(d=>d.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(p))}}var Ni={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:th,View:eh};var ch=24*2**20,uh="these maps are no longer in memory";function ph({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];return t.type==="float32"?new Float32Array(e,n,s):t.type==="float16"?Float32Array.from(new Float16Array(e,n,s)):Float32Array.from(new Uint8Array(e,n,s),r=>(r/255)**2)}var pr=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,r]of this.responses){if(this.size<=ch||this.responses.size===1)break;this.responses.delete(s),this.size-=r.data.byteLength}}};function hr(t,e,n,s){let r=D(null);r.current??=new pr;let o=D({response:null,of:null}),a=D({of:null,error:null}),[,i]=j(0),l=()=>i(d=>d+1),c=n&&JSON.stringify(n),u=c&&r.current.get(c);u?o.current={response:u,of:n.key}:n&&o.current.of!==n.key&&(o.current={response:null,of:null}),W(()=>{if(!c||r.current.get(c))return;let d=new AbortController,m=()=>t(e,JSON.parse(c),{signal:d.signal});return m().catch(async f=>{if(!f.message?.startsWith(uh))throw f;return await t("maps",s,{signal:d.signal}),m()}).then(f=>(r.current.put(c,f),l()),f=>bt(f)||(a.current={of:c,error:f.message},l())),()=>d.abort()},[t,e,c]);let p=a.current.of===c?a.current.error:null;return{response:c&&!p?o.current.response:null,error:p,waiting:!!c&&!u&&!p}}function te(t,e,n){let{response:s,error:r,waiting:o}=hr(t,"tile",e,n),a=H(()=>s&&ph(s),[s]);return{tile:s&&{...s.header,weights:a},error:r,waiting:o}}function Ci(t,e,n){let{response:s,error:r,waiting:o}=hr(t,"overview",e,n);return{thumbs:H(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,u],p)=>Array.from({length:l},(d,m)=>{let f=new Uint8Array(s.data,i,c*u);return i+=c*u,{bytes:f,rows:c,columns:u,limit:s.header.limits[p][m]}}))},[s]),error:r,waiting:o}}function Ai(t,e,n){let{response:s}=hr(t,"picture",e,n);return H(()=>{if(!s)return null;let{height:r,width:o}=s.header,a=new Uint8Array(s.data,s.offset,3*r*o),i=new ImageData(o,r);for(let l=0;l<r*o;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Bn(t,e=8){return Array.from(t.keys()).sort((s,r)=>t[r]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Hn=18,It=48;function Ei({weights:t,rows:e,columns:n,rowNames:s,columnNames:r,first:o=0,start:a=0,width:i,pinned:l,limit:c,label:u,onPoint:p,onPin:d}){let m=V(),[f,$]=j(null),g=f??(l!==null&&l>=o&&l<o+e?l-o:null),x=Math.max(220,Math.min(i,640)),[v,b]=[x*.34,x*.66],y=Hn*Math.max(e,n)+8,w=Math.max(.02,c*.08),M=[];for(let E=0;E<e;E++)if(!(g!==null&&E!==g))for(let C=0;C<n;C++){let S=t[E*n+C];Math.abs(S)>=(g===null?w:.002)&&M.push([E,C,S])}let A=E=>4+Hn*(E+.5),_=E=>($(E),p(E===null?null:E)),T=E=>{let C={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[E.key];C?(E.preventDefault(),_(g===null?0:Math.max(0,Math.min(e-1,g+C)))):(E.key==="Enter"||E.key===" ")&&g!==null?(E.preventDefault(),d(g)):E.key==="Escape"&&_(null)},k=(E,C)=>(E?.[C]??String(C+1)).slice(0,22),P=g===null?null:Math.max(...Array.from({length:n},(E,C)=>t[g*n+C])),N=M.slice().sort((E,C)=>C[2]-E[2]).slice(0,3).map(([,E,C])=>`${k(r,E)} ${z(C)}`),R=g===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${k(s,g)} looks at ${N.join(", ")}`,B=E=>Math.min(1,.08+Math.sqrt(Math.abs(E)/Math.max(c,Math.abs(E)))*(g===null?.7:.9));return h`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${u} aria-describedby=${m}
    onKeyDown=${T} onBlur=${()=>_(null)} onPointerLeave=${()=>_(null)}>
    <svg width=${x} height=${y} aria-hidden="true">
      <g>${M.map(([E,C,S])=>h`<path d=${`M${v} ${A(E)}C${x/2} ${A(E)} ${x/2} ${A(C)} ${b} ${A(C)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${B(S)} />`)}</g>
      ${Array.from({length:e},(E,C)=>h`<g class=${`token${C===g?" now":g===null?"":" off"}`}
        onPointerEnter=${()=>_(C)} onClick=${()=>d(C)}>
        <rect x="0" y=${A(C)-Hn/2} width=${v} height=${Hn} /><text x=${v-8} y=${A(C)} dy="0.35em"
          text-anchor="end">${k(s,C)}</text></g>`)}
      ${Array.from({length:n},(E,C)=>{let S=g===null?null:t[g*n+C];return h`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===P?" now":""}`}>
          <text x=${b+8} y=${A(C)} dy="0.35em">${k(r,C)}</text>
          ${S!==null&&Math.abs(S)>=.002&&h`<text class="weight" x=${x-4} y=${A(C)} dy="0.35em"
            text-anchor="end">${z(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${R}</span>
  </div>`}function Oi(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function hh({most:t,signed:e}){let n=D(null);return it(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),r=e?-t:0;for(let o=0;o<128;o++)s.data.set(Oi(r+(t-r)*o/127,t,e),4*o);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),h`<div class="legend maps-veil"><span>${e?z(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${z(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function Pi({image:t,weights:e,count:n,first:s,grid:r,query:o,limit:a,signed:i,side:l=400,label:c,onQuery:u,onPoint:p}){let d=lt(),[m,f]=[D(null),D(null)],$=V(),[g,x]=j(null),[v,b]=r,y=Math.min(l/v,l/b),[w,M]=[y*b,y*v],A=e.subarray(o*n,(o+1)*n),_=a??Math.max(...A.subarray(s),1e-9);it(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),it(()=>{[f.current.width,f.current.height]=[b,v];let E=new ImageData(b,v);for(let C=0;C<v*b;C++)E.data.set(Oi(A[s+C],_,i),4*C);f.current.getContext("2d").putImageData(E,0,0)},[e,o,r,_,i,d]);let T=E=>{let C=f.current.getBoundingClientRect(),[S,O]=[Math.floor((E.clientY-C.top)/C.height*v),Math.floor((E.clientX-C.left)/C.width*b)];return S>=0&&O>=0&&S<v&&O<b?s+S*b+O:null},k=E=>(x(E),p(E===null?null:[o,E])),P=E=>{let C={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[E.key];if(!C)return;E.preventDefault();let O=(o<s?s:o)+C;O>=s&&O<n&&(x(null),u(O))},N=E=>E<s?"the class token":`row ${Math.floor((E-s)/b)+1}, column ${(E-s)%b+1}`,R=(E,C)=>E>=s&&h`<rect class=${C} x=${(E-s)%b*y}
    y=${Math.floor((E-s)/b)*y} width=${y} height=${y} />`,B=A.indexOf(Math.max(...A));return h`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${$}
    style=${{width:`${w}px`,height:`${M}px`}} onKeyDown=${P} onPointerMove=${E=>k(T(E))} onPointerLeave=${()=>k(null)}
    onClick=${E=>T(E)!==null&&u(T(E))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${w} height=${M} aria-hidden="true">${g!==null&&R(g,"pointed")}${R(o,"query")}</svg>
    <span id=${$} class="unseen" aria-live="polite">${N(o)} looks most at ${N(B)}, ${z(A[B])}; the arrow keys choose the patch that looks</span>
  </div><${hh} most=${_} signed=${i} />`}var[ee,ge,Ti]=[26,22,4];function dr({thumbs:t,minus:e,colour:n,layer:s,head:r,onChoose:o,label:a,width:i}){let l=lt(),c=D(null),u=V(),[p,d]=j(null),m=Math.max(...t.map(w=>w.length)),f=Math.max(18,Math.min(84,Math.floor((i-ee)/m)-Ti)),$=f+Ti,[g,x]=[ee+m*$,ge+t.length*$];it(()=>{let w=Math.min(2,globalThis.devicePixelRatio||1),M=c.current;M.width=Math.round(m*$*w),M.height=Math.round(t.length*$*w);let A=M.getContext("2d");A.scale(w,w),t.forEach((_,T)=>_.forEach((k,P)=>{let N=e?.[T]?.[P],R=N?fh(k,N):mh(k,n);A.imageSmoothingEnabled=k.columns>f*w,A.drawImage(R,P*$,T*$,f,f)}))},[t,e,n,f,l]);let v=w=>{let M=c.current.getBoundingClientRect(),[A,_]=[Math.floor((w.clientY-M.top)/$),Math.floor((w.clientX-M.left)/$)];return A>=0&&_>=0&&t[A]?.[_]?[A,_]:null},b=w=>{let M={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1],Home:[0,-r],End:[0,m]}[w.key];if(!M||!o)return;w.preventDefault();let A=Math.max(0,Math.min(t.length-1,s+M[0]));o(A,Math.max(0,Math.min(t[A].length-1,r+M[1])))},y=([w,M],A)=>h`<rect class=${A} x=${ee+M*$-2} y=${ge+w*$-2} width=${f+4} height=${f+4} rx="4" />`;return h`<div class="maps-overview" style=${{width:`${g}px`,height:`${x}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${u} data-heads=${`${t.length}x${m}`} onKeyDown=${b}
    onPointerMove=${w=>d(v(w))} onPointerLeave=${()=>d(null)}
    onClick=${w=>v(w)&&o?.(...v(w))} aria-disabled=${o?null:"true"}>
    <canvas ref=${c} style=${{left:`${ee}px`,top:`${ge}px`,width:`${m*$}px`,height:`${t.length*$}px`}}></canvas>
    <svg width=${g} height=${x} aria-hidden="true">
      ${t.map((w,M)=>h`<text class=${M===s?"now":""} x=${ee-8} y=${ge+M*$+f/2} dy="0.35em"
        text-anchor="end">${M+1}</text>`)}
      ${Array.from({length:m},(w,M)=>h`<text class=${M===r?"now":""} x=${ee+M*$+f/2} y=${ge-8}
        text-anchor="middle">${M+1}</text>`)}
      ${t.map((w,M)=>w.map((A,_)=>h`<rect class="cell" x=${ee+_*$-.5} y=${ge+M*$-.5} width=${f+1}
        height=${f+1} rx="2" />`))}
      ${p&&o&&y(p,"pointed")}${y([s,r],"chosen")}
    </svg>
    <span id=${u} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${r+1} of ${t[s]?.length}${o?"; use the arrow keys to move":""}</span>
  </div>`}var dh=()=>globalThis.document.createElement("canvas");function mh({bytes:t,rows:e,columns:n,limit:s},r){let o=new Uint32Array(Yt("weight").buffer),a=r==="own"&&s>0?1/Math.sqrt(s):1,i=Uint32Array.from({length:256},(l,c)=>o[Math.min(255,Math.round(c*a))]);return Li(e,n,l=>i[t[l]])}function fh(t,e){let n=new Uint32Array(Yt("signed").buffer),s=Math.max(t.limit,e.limit,1e-6);return Li(t.rows,t.columns,r=>{let o=(t.bytes[r]/255)**2-(e.bytes[r]/255)**2;return n[Math.max(0,Math.min(255,Math.round(255*(.5+o/s/2))))]})}function Li(t,e,n){let s=dh();[s.width,s.height]=[e,t];let r=new ImageData(e,t),o=new Uint32Array(r.data.buffer);for(let a=0;a<o.length;a++)o[a]=n(a);return s.getContext("2d").putImageData(r,0,0),s}var Lt=40;function Di({ask:t,sides:e,heads:n,kind:s,layer:r,head:o,state:a,change:i,actions:l,differs:c,isFile:u,isLarge:p}){let[d,m]=G(),[f,$]=j(null),[g,x]=n.map(({tile:S})=>S),v=!!e[1].maps,[b,y]=e,w=s.layers[r].grid,M=e.map(({maps:S,request:O})=>Ai(t,S?.pictured?{key:S.key}:null,O));W(()=>$(null),[b.maps?.key,y.maps?.key,s.name]);let A=g&&x&&String(g.shape)===String(x.shape),_=v&&a.compare==="difference",T=H(()=>_&&A?xh(g.weights,x.weights):null,[_,g?.weights,x?.weights]),k=[...w&&M[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],P=k.some(([S])=>S===a.show)?a.show:k[0][0],N=`Layer ${r+1}, head ${o+1}`,R={kind:s,layer:r,head:o,state:a,change:i,show:P,setPoint:$,grid:w,near:a.near,isFile:u},B=Math.max(g?.limit??0,v&&x?.limit||0),E=Math.max(160,v&&!_?(m-24)/2:m),C=_&&g&&x&&!A;return h`<${q} title=${N} class="maps-head" actions=${h`<div class="row maps-nameless">${k.length>1&&h`<fieldset
    class="maps-held" disabled=${u&&p}><${tt} label="Show as" value=${P} options=${k}
      onChange=${S=>i({show:S})} /></fieldset>`}${l}</div>`}>
    <div ref=${d} class="maps-pair">
      ${g&&m>0&&(_&&!C?T&&h`<${mr} tile=${{...g,weights:T,limit:yh(T)}} signed maps=${b.maps} image=${M[0]}
          width=${E} name="First minus second" ...${R} />`:h`<${mr} tile=${{...g,limit:B}} maps=${b.maps} image=${M[0]} width=${C?(m-24)/2:E}
          name=${v?"First":null} ...${R} />
            ${v&&x&&h`<${mr} tile=${{...x,limit:B}} maps=${y.maps} image=${M[1]}
              width=${C?(m-24)/2:E} name="Second" ...${R} />`}`)}
    </div>
    ${C&&h`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${g.shape.join(" × ")} and ${x.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${_&&!C&&c&&h`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${I} error=${n[0].error??n[1].error} />
    ${g&&h`<${bh} ask=${t} layer=${r} head=${o} show=${P} point=${f??a.pin} pinned=${!f}
      tiles=${[g,v?x:null]} sides=${e} kind=${s} />
      ${[g,v?x:null].map((S,O)=>S&&h`<${wh} key=${O} ask=${t} maps=${e[O].maps} kind=${s} layer=${r}
        head=${o} grid=${w} of=${v?["First: a","Second: a"][O]:"A"} />`)}
      ${a.pin&&h`<${kh} ask=${t} sides=${e} kind=${s} layer=${r} head=${o} pin=${a.pin} isTwo=${v}
        onUnpin=${()=>(d.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[g,x]} />`}`}
  </${q}>`}function mr({tile:t,maps:e,image:n,width:s,name:r,signed:o,kind:a,layer:i,head:l,state:c,change:u,show:p,setPoint:d,grid:m,near:f,isFile:$}){let[g,x]=t.shape,v=(N,R)=>e.axes[N]?e.axes[N].slice(R):null,[b,y]=[v(a.rows,t.rows[0]),v(a.columns,t.columns[0])],w=o?t.limit:c.colour==="own"&&t.limit||1,M=`weights of layer ${i+1}, head ${l+1}${r?`, ${r}`:""}: ${a.rows} by ${a.columns}`,A=(N,R)=>u({pin:[t.rows[0]+N*t.pool,R===null?null:t.columns[0]+R*t.pool]}),_=(N,R)=>d(N==null?null:[t.rows[0]+N*t.pool,t.columns[0]+R*t.pool]),T=c.pin&&c.pin[1]!==null?ji(c.pin,t):null,k=a.layers[i],P;if(p==="picture"&&m&&n&&!f){let N=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),x-1);P=h`<${Pi} image=${n} weights=${t.weights} count=${x} first=${e.first} grid=${m} query=${N}
      limit=${o||c.colour==="one"?w:null} signed=${o} side=${Math.min(s,440)} label=${M}
      onQuery=${R=>u({pin:[R,null]})} onPoint=${d} />
      ${e.first>0&&h`<button class="quiet" aria-pressed=${N<e.first}
        onClick=${()=>u({pin:[0,null]})}>From the class token</button>`}`}else if(p==="lines"){let N=g<k.rows||x<k.columns;P=h`${N&&h`<div class="row"><${zi} near=${f??[0,0]} whole=${k} change=${u} isFile=${$} fixed /></div>`}<${gh}
      tile=${t} rowNames=${b} columnNames=${y} width=${s} limit=${o?t.limit:t.limit||1} label=${M} state=${c}
      pin=${A} pointed=${d} />`}else{let N=Qa(m?null:b?.slice(0,g),Math.max(g,x),s),R=Math.ceil(Math.max(g,x)/Math.max(N,64)),B=rr(t.weights,g,x,R),E=m||R>1?[null,null]:[b?.slice(0,g),y?.slice(0,x)],C=(L,F)=>{let ot=B.at?.[L*B.columns+F];return ot?[Math.floor((ot-1)/x),(ot-1)%x]:[L*R,F*R]},S=(L,F)=>{let[ot,Tt]=C(L,F);return`${b?.[ot*t.pool]??ot+1} to ${y?.[Tt*t.pool]??Tt+1}: ${z(t.weights[ot*x+Tt])}`},O=h`<${Nt} data=${B.data} rows=${B.rows} columns=${B.columns} scale=${o?"signed":"weight"} limit=${w}
      label=${M} side=${N} says=${S} rowNames=${E[0]} columnNames=${E[1]}
        chosen=${T?.map(L=>Math.floor(L/R))} onChoose=${(L,F)=>A(...C(L,F))}
        onPoint=${(L,F)=>L===null?_(null):_(...C(L,F))} />`;P=h`${O}
      <div class="row maps-under"><${fe} scale=${o?"signed":"weight"} limit=${w}
        label=${o?"first minus second":w<.995?"and above":"weight"} />
        ${Math.max(k.rows,k.columns)>Lt&&h`<${zi} near=${f} whole=${k} pin=${c.pin} change=${u} isFile=${$} />`}</div>
      ${t.pool*R>1&&h`<p
        class="hint">Each pixel is the strongest of ${t.pool*R} × ${t.pool*R} weights; look closer to see each.</p>`}`}return h`<div class="maps-one">${r&&h`<h3>${r}</h3>`}${P}</div>`}function zi({isFile:t,...e}){return h`<fieldset class="maps-held row" disabled=${t}><${$h} ...${e} /></fieldset>`}function $h({near:t,whole:e,pin:n,change:s,fixed:r}){if(!t){let o=(a,i)=>Math.max(0,Math.min(i-Lt,Math.round((a??0)-Lt/2)));return h`<button onClick=${()=>s({near:[o(n?.[0],e.rows),o(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return h`${!r&&h`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${rt} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-Lt+1)} step=${1}
      onChange=${o=>s({near:[o-1,t[1]]})} />
    <${rt} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-Lt+1)} step=${1}
      onChange=${o=>s({near:[t[0],o-1]})} />`}function gh({tile:t,rowNames:e,columnNames:n,width:s,limit:r,label:o,state:a,pin:i,pointed:l}){let[c,u]=t.shape,[p,d]=j(0),m=Math.max(c,u),f=Math.min(p,Math.max(0,m-It)),$=y=>[Math.min(f,Math.max(0,y-It)),Math.min(f+It,y)],[g,x]=[$(c),$(u)],v=H(()=>{let y=new Float32Array((g[1]-g[0])*(x[1]-x[0]));for(let w=g[0];w<g[1];w++)y.set(t.weights.subarray(w*u+x[0],w*u+x[1]),(w-g[0])*(x[1]-x[0]));return y},[t.weights,g[0],g[1],x[0],x[1]]),b=y=>Bn(v.subarray(y*(x[1]-x[0]),(y+1)*(x[1]-x[0])),1)[0]??0;return h`${m>It&&h`<${rt} label="Tokens from" value=${f+1} min=${1} max=${m-It+1} step=${1}
    onChange=${y=>d(y-1)} />`}
    <${Ei} weights=${v} rows=${g[1]-g[0]} columns=${x[1]-x[0]} rowNames=${e?.slice(g[0])} columnNames=${n?.slice(x[0])}
      width=${s} limit=${r} label=${o}
      pinned=${a.pin?a.pin[0]-t.rows[0]-g[0]:null} first=${0}
      onPoint=${y=>l(y===null?null:[t.rows[0]+g[0]+y,t.columns[0]+x[0]+b(y)])} onPin=${y=>i(g[0]+y,x[0]+b(y))} />
    <p class="hint">${m>It?`${It} tokens of each side; f`:"F"}aint weights have no line.</p>`}var xh=(t,e)=>t.map((n,s)=>n-e[s]),yh=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function ji([t,e],n){let[s,r]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&r>=0&&s<n.shape[0]&&r<n.shape[1]?[s,r]:null}var Ri=(t,e,n)=>`${t.axes[e]?.[n]??""}`,Un=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?Ri(t,n,s)||`${n} ${s+1}`:`${Ri(t,n,s)}`,vh={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function bh({ask:t,layer:e,head:n,show:s,point:r,pinned:o,tiles:a,sides:i,kind:l}){let c=i[0].maps,u=r&&r[1]!==null&&a[0].pool>1?a[0].pool:0,p=u?{rows:[r[0],r[0]+u],columns:[r[1],r[1]+u],most:16}:null,d=te(t,p&&{key:c.key,kind:l.name,layer:e,head:n,...p},i[0].request),m=te(t,p&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...p}:null,i[1].request),f=d.tile&&r&&d.tile.rows[0]===r[0]&&d.tile.columns[0]===r[1];if(u&&f&&d.tile.pool===1){let y=Bn(d.tile.weights,1)[0]??0;r=[r[0]+Math.floor(y/d.tile.shape[1]),r[1]+y%d.tile.shape[1]],a=[d.tile,m.tile]}let $=r;if(!$||$[1]===null)return h`<p class="maps-reading hint">${vh[s]}</p>`;let g=a.map(y=>{let w=y&&ji($,y);return w?y.weights[w[0]*y.shape[1]+w[1]]:null}),x=[Un(c,l,l.rows,$[0]),Un(c,l,l.columns,$[1])],v=l.layers[0].grid?"":` (${$[0]+1} → ${$[1]+1})`,b=a[0].pool>1?", the largest around":"";return h`<p class="maps-reading" data-reading>${o?"Pinned: ":""}<b>${x[0]}</b> → <b>${x[1]}</b><span
    class="hint">${v}${b}</span>
    <span class="maps-number" data-weight=${g[0]}>${z(g[0],4)}</span>
    ${a[1]&&h`<span class="hint maps-and">second</span><span class="maps-number">${z(g[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${g[1]===null?"–":z(g[0]-g[1],4)}</span>`}</p>`}function wh({ask:t,maps:e,kind:n,layer:s,head:r,grid:o,of:a}){let{response:i}=X(t,"facts",{key:e.key,kind:n.name,layer:s,head:r}),l=i&&n.rows===n.columns&&!o?`, ${z(i.distance,2)} tokens away on average`:"",c={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=i&&`${a} query looks at about ${z(2**i.entropy,2)} tokens: ${z(i.entropy,3)} bits of entropy${l}.${c}`;return h`<p class="hint maps-facts" data-entropy=${i?.entropy}>${u??" "}</p>`}function _h(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function kh({ask:t,sides:e,kind:n,layer:s,head:r,pin:o,isTwo:a,onUnpin:i,tiles:l}){let c=e.map(v=>v.maps?.kinds.find(b=>b.name===n.name)?.layers[s]),u=l.map((v,b)=>_h(v,c[b],o[0])),p=v=>{let b=e[v];return!u[v]&&c[v]&&o[0]<c[v].rows&&r<c[v].heads?{key:b.maps.key,kind:n.name,layer:s,head:r,rows:[o[0],o[0]+1],most:4096}:null},d=[te(t,p(0),e[0].request),te(t,a?p(1):null,e[1].request)],m=u[0]??d[0].tile?.weights;if(!m)return null;let f=a?u[1]??d[1].tile?.weights:null,$=e[0].maps,g=Bn(m),x=m[g[0]]||1;return h`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${Un($,n,n.rows,o[0])}${n.layers[0].grid?"":` (${o[0]+1})`} looks at most</h3>
      <button class="quiet" onClick=${i}>Unpin</button></div>
    <table class="lines" data-pinned=${o[0]}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${f&&h`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${g.map(v=>h`<tr><td>${Un($,n,n.columns,v)}</td><td class="number">${v+1}</td><td
        class="number">${z(m[v],4)}</td>
        ${f&&h`<td class="number">${v<f.length?z(f[v],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*m[v]/x}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var Mh=8*2**20;function qi(t,{model:e,text:n,target:s,image:r,step:o,picture:a},i){let l=Kn(t,e);if(!l)return null;let c={model:l.name};if(o!==null&&l.steps.includes(o))return{...c,step:o};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:fr(l,r)};if(l.takes==="nothing")return c;let u=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:u,target:s}:{...c,text:u}}var fr=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function Kn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function Fi(t,{text:e,target:n,image:s,step:r,picture:o}){let a={model:t.name,text:e,target:n,image:s,step:r,picture:o},i=t.examples.find(u=>u!==(e??t.examples[0]));if(!t.steps.includes(r)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(u=>u!==r);return c!==void 0?{...a,step:c}:{...a,image:Sh(t,s,o),picture:""}}var Sh=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function gr({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var Nh=t=>t.length>240?`${t.slice(0,239)}…`:t;function xr({models:t,value:e,set:n,pictures:s,open:r,side:o,title:a,place:i}){let l=Kn(t,e.model),c=$=>t.filter(g=>g.group===$).map(g=>[g.name,g.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,c($)]),p=e.step!==null&&l.steps.includes(e.step),d=$=>n({model:$,text:null,target:"",step:null}),m=o.maps?.caption,f=p&&o.isNow?gr(o):null;return h`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      <${et} label="Model" value=${l.name} options=${u} onChange=${d} />
      ${l.steps.length>0&&h`<${et} label="Training" value=${p?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...l.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!p&&l.takes!=="image"&&l.examples.length>1&&h`<${et} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...l.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
    </div>
    ${p||l.takes==="nothing"?null:l.takes==="image"?h`<${Ch} one=${l} value=${e} set=${n} pictures=${s}
      open=${r} place=${i} />`:h`<${pt} label=${l.takes==="letters"?"A string of a, b, c and d":l.takes==="pair"?"Source":"Text"}
        value=${e.text??l.examples[0]??""}
          lines=${l.takes==="letters"?0:2} max=${4e4} onChange=${$=>n({text:$})} />`}
    ${!p&&l.takes==="pair"&&h`<${pt} label="Target (empty: what the model writes)" value=${e.target} lines=${2} max=${4e4}
      onChange=${$=>n({target:$})} />`}
    ${f&&h`<p>Reads ${l.takes==="image"?"the recorded image":h`<span class="maps-read">${Nh(f)}</span>, as it was recorded`}.</p>`}
    ${m&&!(f&&m==="as recorded")&&h`<p class="hint">${m}</p>`}
  </div>`}function Ch({one:t,value:e,set:n,pictures:s,open:r,place:o}){let a=V(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>Mh)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>r(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},u=fr(t,e.image),p=s.has(e.picture)?e.picture:"",d=m=>n({picture:"",image:fr(t,m)});return h`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${u} onChange=${m=>d(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>d(u-1)} disabled=${u<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>d(u+1)} disabled=${u>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${p?p.slice(0,28):"Open a picture …"}</span></label>
    ${p&&h`<button class="quiet" onClick=${()=>d(u)}>Use the test image</button>`}
    ${p&&o==="page"&&h`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!p&&h`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&h`<p class="error">${i}</p>`}
  </div>`}var Ah=8,$r=new WeakMap,Ii=(t,e)=>new Map([...Object.entries(e??{}),...$r.get(t)??[]]);function Wi(t,e,n){let s=$r.get(t)??new Map,r=e;for(let o=2;s.has(r)&&s.get(r)!==n;o++)r=`${e} (${o})`;return s.delete(r),$r.set(t,new Map([...s,[r,n]].slice(-Ah))),r}var yr=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var Ki={model:"",text:null,target:"",image:0,step:null,picture:""},Th={...Ki,other:null,compare:"side",kind:"",layer:0,head:0,show:"",colour:"own",pin:null,near:null},Vi=512,Eh=6*2**20;function Oh({ask:t,state:e,change:n,place:s}){let r=X(t,"models",{}),o=r.response?.models??null,a=Ii(t,e.pictures),i=typeof e.other=="object"&&e.other?{...Ki,...e.other}:null,l=Bi(t,o,e,a),c=Bi(t,o,i,a),u=Lh(l,c,e.kind),[p,d]=zh(u,e.layer,e.head),m=u?{...e,...Rh(u.layers[p],e)}:e,f=Hi(t,l,u,p,d,m),$=Hi(t,c,u,p,d,m),g=D(null);if(r.error)return h`<${I} error=${r.error} />`;if(!o)return h`<${I} waiting=${r.waiting} />`;if(!o.length)return h`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let x=T=>n({...T,pin:null,near:null}),v=T=>n({other:{...i,...T},pin:null,near:null}),b=T=>n({other:T?Fi(Kn(o,e.model),e):null,near:null}),y=[e.picture,i?.picture],w=T=>(k,P)=>{let N=Wi(t,k,P);s==="notebook"&&n({pictures:{...yr(a,y),[N]:P}}),T({picture:N})},M=s==="file",A=Xi(l,c),_=[l,c].filter(T=>T.maps);return h`<div class="maps" ref=${g}>
    <${q} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${M}>
        <${xr} title=${i?"First":"Model and input"} models=${o} value=${e} set=${x} pictures=${a}
          open=${w(x)} side=${l} place=${s} />
        ${i&&h`<${xr} title="Second" models=${o} value=${i} set=${v} pictures=${a}
          open=${w(v)} side=${c} place=${s} />`}
      </fieldset>
      <div class="row maps-nameless">
        <fieldset class="maps-held" disabled=${M}><${yt} label="Compare with a second" value=${i!==null} onChange=${b} /></fieldset>
        ${i&&h`<${tt} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${T=>n({compare:T})} />`}
        ${M&&h`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>
      <${I} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${q}>
    ${u&&h`<div class="maps-body">
      <${Dh} ask=${t} sides=${_} kind=${u} layer=${p} head=${d} state=${m}
        kinds=${A} change=${n} isFile=${M} />
      <${Di} ask=${t} sides=${[l,c]} heads=${[f,$]} kind=${u} layer=${p} head=${d} state=${m} change=${n}
        differs=${Ph(l,c)} isFile=${M} isLarge=${Yi(u.layers[p])}
        actions=${h`<${nt} name=${`maps-layer-${p+1}-head-${d+1}`} of=${g} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:yr(a,y)}}
          numbers=${()=>qh([f,$],[l,c],u)} saves=${()=>Fh(_,u,p,d,m)} />`} />
    </div>`}
  </div>`}function Bi(t,e,n,s){let r=e&&n?qi(e,n,s):null,{response:o,error:a,waiting:i,of:l}=X(t,"maps",r),c=r&&JSON.stringify(r),u=!!r&&l===c;return{request:r,isNow:u,maps:r&&(u||!a)?o:null,error:r?a:null,waiting:!!r&&i}}function Ph(t,e){let[n,s]=[t,e].map(r=>r.isNow?gr(r):null);return n!==null&&s!==null&&n!==s}function Hi(t,e,n,s,r,o){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&r<a.layers[s].heads;return te(t,i?Ji(e.maps,a,s,r,o):null,e.request)}function Ji(t,e,n,s,{near:r,show:o}){let{rows:a,columns:i}=e.layers[n],l=Gi({rows:a,columns:i},r)??(o==="lines"&&Yi({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+Lt],columns:[l[1],l[1]+Lt]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:Vi}}var Xi=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function Lh(t,e,n){let s=Xi(t,e);return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var Je=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function zh(t,e,n){if(!t)return[0,0];let s=Je(e,t.layers.length);return[s,Je(n,t.layers[s].heads)]}function Rh({rows:t,columns:e},{pin:n,near:s}){let r=typeof n?.[1]=="number"?Je(n[1],e):null;return{pin:Array.isArray(n)?[Je(n[0],t),r]:null,near:Gi({rows:t,columns:e},s)}}var Gi=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,r)=>Je(n[r],Math.max(1,s-Lt+1))):null,Yi=({rows:t,columns:e})=>Math.max(t,e)>Vi;function Dh({ask:t,sides:e,kind:n,kinds:s,layer:r,head:o,state:a,change:i,isFile:l}){let[c,u]=G(),p=[0,1].map(y=>Ci(t,e[y]?{key:e[y].maps.key,kind:n.name}:null,e[y]?.request)),d=l&&!e.every(({maps:y})=>Zi(Qi(y,n),a)),m=d?"head":l&&s.length>1?"kind":null,f=d?null:(y,w)=>i({layer:y,head:w}),[$,g]=p.map(y=>y.thumbs),x=e.length>1&&a.compare==="difference"&&$&&g&&jh($,g),v=`${n.layers.length} layers of heads, ${n.title}`,b={colour:a.colour,layer:r,head:o,onChoose:f,width:Math.max(u,120)};return h`<${q} title="All heads" class="maps-all" note="A row for each layer, a column for each head." >
    ${s.length>1&&h`<fieldset class="maps-held maps-nameless" disabled=${l}><${tt} label="Kind" value=${n.name}
      options=${s.map(y=>[y.name,y.title])} onChange=${y=>i({kind:y,pin:null,near:null})} /></fieldset>`}
    <div ref=${c} class="maps-grids">
      ${$&&u>0&&h`<div>${e.length>1&&h`<h3>${x?"First minus second":"First"}</h3>`}
        <${dr} thumbs=${$} minus=${x?g:null} label=${v} ...${b} /></div>`}
      ${g&&u>0&&e.length>1&&!x&&h`<div><h3>Second</h3><${dr} thumbs=${g}
        label=${`${v}, second`} ...${b} /></div>`}
    </div>
    ${m&&h`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${I} error=${p[0].error??p[1].error} />
    <${tt} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${y=>i({colour:y})} />
  </${q}>`}var Ui=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),jh=(t,e)=>Ui(t)===Ui(e);function qh(t,e,n){let s={};return t.forEach(({tile:r},o)=>{if(!r)return;let a=(i,[l,c])=>e[o].maps.axes[i]?.slice(l,c).filter((u,p)=>p%r.pool===0);s[o?"second":"weights"]={shape:r.shape,data:r.weights,rows:a(n.rows,r.rows),columns:a(n.columns,r.columns)}}),s}var Qi=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,Zi=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=Eh;function Fh(t,e,n,s,r){let o=[["models",{}]];for(let{request:a,maps:i}of t){let l=Qi(i,e),c=l.layers.flatMap((u,p)=>Array.from({length:u.heads},(d,m)=>[p,m]));o.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&o.push(["picture",{key:i.key}]);for(let[u,p]of Zi(l,r)?c:[[n,s]])o.push(["tile",Ji(i,l,u,p,r)],["facts",{key:i.key,kind:e.name,layer:u,head:p}]);r.pin&&o.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[r.pin[0],r.pin[0]+1],most:4096}])}return o}var tl={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture. Choose a head; point at a token to read its numbers.",state:Th,View:Oh};var el=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function Ih(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,r]=el.find(([o])=>Math.abs(n)>=o*.9999999)??el.at(-1);return`${Number((n/s).toPrecision(3))} ${r}${e}`}var vt={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},U=t=>t.toLocaleString("en"),Vn=(t,e)=>`${Number((100*t/e).toPrecision(3))} %`;function vr({claim:t,place:e}){return!t||e!=="page"?null:h` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function Wt({label:t,value:e,values:n,onChange:s,says:r=U}){let o=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return h`<${rt} label=${t} value=${o} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>r(a===o?e:n[a])} />`}function br(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Xe=["flops","bytes","memory","seconds"];function sl({found:t,saving:e}){let n=D(null),s=t.response,r=s?.candidates.filter(l=>l.refusal===null)??[],o=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&h`<${nt} name="plan" of=${n} numbers=${()=>{let l=r.flatMap(c=>Xe.map(u=>c[u]));return{plan:{shape:[r.length,Xe.length],data:l,rows:r.map(c=>c.name),columns:Xe}}}} ...${e} />`;return h`<${q} title="The plan" actions=${i}>
    <${I} error=${t.error} waiting=${!s&&t.waiting} />
    ${s&&h`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is the fastest exact way here.${Bh(s)}</p>
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${U(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Xe.map(l=>h`<th class="number" title=${vt[l].about}>${vt[l].name}</th>`)}</tr></thead>
        <tbody>
          ${r.map(l=>h`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&h` <span class="badge">chosen</span>`}</th>
            <${nl} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${nl} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${o.length>0&&h`<details class="patterns-refused"><summary>${o.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${o.map(l=>h`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function nl({one:t}){return Xe.map(e=>h`<td class="number" data-cost=${`${t.name} ${e}`} title=${Wh(t[e],e)}>
    ${Ih(t[e],vt[e].unit)}</td>`)}var Wh=(t,e)=>e==="seconds"?`${t} s`:`${U(t)} ${vt[e].unit}`;function Bh(t){let[e]=t.candidates,n=(r,o)=>{let a=Number((t.full[r]/e[r]).toPrecision(2));return Number.isFinite(a)&&a!==1?[`${a} times the ${o}`]:[]},s=[...n("flops","FLOPs"),...n("memory","memory"),...n("seconds","predicted time")];return s.length?` Full attention takes ${s.join(", ").replace(/, ([^,]*)$/," and $1")}.`:""}var rl=["①","②","③","④"],Hh=t=>Math.abs(t)>=1e7?On(t):z(t);function ol({found:t,request:e,quantity:n,compare:s,change:r,saving:o,place:a}){let i=D(null),l=t.response,c=l?Uh(l,n,s):[],u=l&&s==="full"?Vh(l,n):[],d=l&&h`<${nt} name="growth" of=${i} numbers=${()=>{let m=g=>Object.keys(vt).map(x=>({name:`${g.name}, ${x}`,data:g[x]})),f=l.curves.flatMap(m).filter(g=>g.data.some(x=>x!==null)),$=l.tokens.flatMap((g,x)=>f.map(v=>v.data[x]));return{growth:{shape:[l.tokens.length,f.length],data:$,rows:l.tokens,columns:f.map(g=>g.name)}}}} ...${o} />`;return h`<${q} title="How the cost grows" actions=${d}>
    <div class="row patterns-choices">
      <${tt} label="Show" value=${n} options=${Object.entries(vt).map(([m,f])=>[m,f.name])}
        onChange=${m=>r({quantity:m})} />
      <${tt} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>r({compare:m})} />
    </div>
    <${I} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&h`<div ref=${i}>
      <p class="patterns-axis">${vt[n].axis} <span aria-hidden="true">↑</span></p>
      <${Pt} series=${c} label=${`${vt[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Hh} marks=${Kh(u)} />
      ${u.length>0&&h`<ol class="patterns-crossings">
        ${u.map((m,f)=>h`<li><span aria-hidden="true">${rl[f]}</span><span><${Xh} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${Gh} curves=${c} />${s==="full"?` ${Yh(l)}`:""}</p>
    </div>`}
  <//>`}function Uh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],r=vt[e].times??1,o=a=>a.map(i=>i===null?NaN:i*r);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:o(a[e]),exponent:a.exponent[e]}))}function Kh(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${rl[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function Vh(t,e){let n=t.crossings.filter(r=>r.quantity===e&&(r.more||r.right!=="projections")),s=!n.some(r=>r.left==="this mechanism"&&r.right==="full attention")&&Jh(t,e);return n.filter(r=>!(s&&r.left==="this mechanism")).sort((r,o)=>r.tokens-o.tokens)}function Jh(t,e){let[n,s]=["ours","full"].map(r=>t.curves.find(o=>o.kind===r)[e]);return n.every((r,o)=>r===s[o])}function Xh({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",r=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",o=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${o}${a}`;return h`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${U(t.tokens)}</b> ${i}<${vr} claim=${r} place=${n} />.`}function Gh({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?h`At the end they grow as ${e.map((n,s)=>h`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function Yh(t){let n=t.chosen.map((s,r)=>[s,t.tokens[r]]).filter(([s],r)=>s&&s!==t.chosen[r-1]).map(([s,r],o)=>o?`${s} from ${U(r)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${U(t.tokens.at(-1))} tokens are compared.`}var Jn=[0,.1,.36],Qh=512,Zh="Point at the map, or use the arrow keys.",td=" Press Enter to follow that query through the layers below.";function al({found:t,request:e,output:n,onChoose:s,saving:r}){let o=D(null),{header:a,levels:i}=H(()=>nd(t.response),[t.response]),c=a&&h`<${nt} name="mask" of=${o} numbers=${()=>({mask:{shape:[a.rows,a.columns],data:i}})} ...${r} />`;return h`<${q} title="Who sees whom" actions=${c}>
    <${I} error=${t.error} waiting=${!a&&t.waiting} />
    ${a&&h`<${ed} header=${a} levels=${i} request=${e} output=${n} picture=${o}
      onChoose=${r.place==="file"?null:s} />`}
  <//>`}function ed({header:t,levels:e,request:n,output:s,onChoose:r,picture:o}){lt();let[a,i]=G(),[l,c]=j(null),u=H(()=>Float32Array.from(e,m=>Jn[m]),[e]),p=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,d=(m,f)=>od(t,e,m,f,n.grid);return h`<div class="patterns-map" ref=${a}>
    <div ref=${o} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&h`<div class="patterns-framed">
        ${p!==null&&h`<span class="patterns-followed" style=${{top:`${100*(p+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${Nt} data=${u} rows=${t.rows} columns=${t.columns} side=${sd(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${p===null?null:[p,p]}
          onChoose=${r&&(m=>r(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${d} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${_r} shade=${Jn[2]} />visible</li>
        ${t.cell>1&&h`<li><${_r} shade=${Jn[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${_r} shade=${Jn[0]} />hidden</li>
        ${t.cell>1&&h`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${wr} name="visible pairs" count="visible" value=${U(t.visible)} note=${`of ${U(t.pairs)}, ${Vn(t.visible,t.pairs)}`} />
        <${wr} name="keys that a query sees" count="most" value=${il(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${U(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${wr} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${U(t.visited)}
          note=${`of ${U(t.blocks)}; they hold ${U(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?d(...l):h`<span class="hint">${Zh}${r&&td}</span>`}</p>
      ${t.batch&&h`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var wr=({name:t,count:e,value:n,note:s})=>h`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function nd(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function sd(t,e){let n=Math.min(Qh,e);return t.rows>40?t.rows*Math.max(1,Math.floor(n/t.rows)):n}var il=(t,e)=>t===e?U(t):`${U(t)} to ${U(e)}`,rd=["hidden","visible in part","visible"];function od(t,e,n,s,r){let o=c=>{let[u,p]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return r&&t.cell===1?`(${Math.floor(u/r[1])}, ${u%r[1]})`:u===p?U(u):`${U(u)}–${U(p)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${o(n)}, ${t.cell===1?"key":"keys"} ${o(s)}: ${rd[e[n*t.columns+s]]}. The ${a} ${i} ${il(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function _r({shade:t}){return h`<span class="patterns-swatch" style=${{background:St(t,"weight",1)}} aria-hidden="true"></span>`}var ad=450,id="A token reaches an output if its value can get there through the layers, whatever the weights.",Xn=t=>`${t} ${t===1?"layer":"layers"}`;function ll({found:t,state:e,change:n,clipped:s,saving:r}){let o=D(null),[a,i]=j(!1),{header:l,first:c}=H(()=>ld(t.response),[t.response]),u=l?.depths.length??e.layers,p=Math.min(e.depth??u,u);W(()=>{if(!a)return;if(p>=u)return i(!1);let x=setTimeout(()=>n({depth:p+1}),ad);return()=>clearTimeout(x)},[a,p,u]);let d=()=>a?i(!1):(n({depth:p>=u?1:p}),i(!0)),m=()=>{let x=["fewest","mean","most","here","formula","convolution"],v=l.depths.flatMap(b=>x.map(y=>b[y]));return{reach:{shape:[u,x.length],data:v,rows:l.depths.map(b=>b.layers),columns:x}}},{place:f}=r,$=f==="file"?null:x=>n({output:x}),g=l&&h`<${nt} name="reach" of=${o} numbers=${m} ...${r} />`;return h`<${q} title="How far layers reach" actions=${g} note=${id}>
    <div class="row patterns-choices">
      <${gt} place=${f} noted=${!1}><${rt} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${U}
        onChange=${x=>n({layers:x,depth:null})} /><//>
      <${rt} label="Show after" value=${p} min=${1} max=${u} step=${1} says=${Xn}
        onChange=${x=>(i(!1),n({depth:x}))} />
      ${!qt()&&h`<button onClick=${d} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${gt} place=${f} noted=${!1}><${yt} label="residual connections" value=${e.residual}
        onChange=${x=>n({residual:x})} /><//>
    </div>
    <${Qt} place=${f} what="change the layers, or follow another token" />
    <${I} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&h`<div ref=${o} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${cd} header=${l} depth=${p} /></p>
      ${l.sides.length===2?h`<${ud} header=${l} first=${c} depth=${p} onChoose=${$} />`:h`<${pd} header=${l} first=${c} depth=${p} onChoose=${$} />`}
      <${dd} header=${l} depth=${p} />
    </div>
    ${s&&h`<p class="hint">Computed for ${l.sides.map(U).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function ld(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,r=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:r,count:e.tokens}}}var kr=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function cd({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${U(t.output)}`,o=`${n.here===t.tokens?"all":`${U(n.here)} of`} ${U(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${Vn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return h`After ${Xn(e)} <b data-reached=${n.here}>${o}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function ud({header:t,first:e,depth:n,onChoose:s}){let[r,o]=t.sides,[a,i]=G(),l=H(()=>{let u=new Float32Array(t.tokens);for(let p=n;p>=1;p--)for(let d=0;d<t.tokens;d++)e.reached[(p-1)*t.tokens+d]&&(u[d]=kr(p,t.depths.length));return u},[e,n]),c=(u,p)=>{let d=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+u*o+p]);return`pixel (${u}, ${p}): ${d<0?"never reaches the output":`reaches it from layer ${d+1} on`}`};return h`<div class="patterns-field" ref=${a}>
    ${i>0&&h`<${Nt} data=${l} rows=${r} columns=${o} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${Xn(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/o),t.output%o]} onChoose=${s&&((u,p)=>s(u*o+p))} says=${c} />`}
    <${hd} header=${t} />
    ${s&&h`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function pd({header:t,first:e,depth:n,onChoose:s}){let r=lt(),o=D(null),[a,i]=G(),l=t.depths.length;it(()=>{if(!i)return;let p=new Float32Array((l+1)*t.tokens);p[t.output]=1;for(let m=1;m<=n;m++){let f=kr(m,l);for(let $=0;$<t.tokens;$++)e.reached[(m-1)*t.tokens+$]&&(p[m*t.tokens+$]=f)}let d=Math.max(64,Math.min(t.tokens,Math.floor(i)));jn(o.current,p,l+1,t.tokens,"weight",1,d)},[t,e,n,i,r]);let c=p=>{let d=p.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((p.clientX-d.left)/d.width*t.tokens))))},u=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return h`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${u}px`}} aria-hidden="true"><span>output</span><span>${Xn(l)}</span></div>
    <div ref=${a}><canvas ref=${o} role="img" style=${{height:`${u}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(p=>p.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${U(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${rt} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${U} />
    </div>
  </div>`}function hd({header:t}){lt();let e=t.depths.length,n=s=>St(kr(s,e),"weight",1);return h`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>h`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function dd({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),r=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&r.push({name:"by the formula",x:n,y:s("formula")}),r.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let o=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return o||r.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),h`<div class="patterns-growing">
    <${Pt} series=${r} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${z} />
    <p class="note">${t.formula!==null?h`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${o&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var Mr=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],Sr=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],pl={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},hl=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],md=br(16,131072),cl=br(4,128),ul=[1,2,4,8,16,32,64],Nr=4096,xe={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function fd(t){let e=s=>t[s].slice(0,300),n=(s,r,o)=>de(t[s],r,o,xe[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:zn(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Fe(t.device,Object.keys(pl),xe.device),dtype:Fe(t.dtype,hl.map(([s])=>s),xe.dtype),quantity:Fe(t.quantity,Object.keys(vt),xe.quantity),compare:Fe(t.compare,["full","algorithms"],xe.compare)}}function $d({ask:t,state:e,change:n,place:s}){let r=fd(e),o=X(t,"presets",{}),a=gd(r),i=dt(t,"mechanism",a.mechanism),l=dt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},u=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),p=D(null);u&&Object.keys(c).length===0&&(p.current=xd(r,a));let d=p.current,m=dt(t,"pattern",d?.pattern),f=dt(t,"plan",d?.plan),$=dt(t,"reach",d?.reach),g=X(t,"growth",d?.growth),v={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(d)],ask:t,view:"patterns",state:r,place:s},b=$.response?.header.output??null;return h`<div class="sided patterns">
    <${gt} class="patterns-left" place=${s}>
      <${vd} known=${o} state=${r} change=${n} wrong=${c} place=${s} />
      <${wd} devices=${o.response?.devices??[r.device]} state=${r} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!u)}>
      ${a.second&&h`<${gt} class="patterns-turns" place=${s} noted=${!1}><${tt} label="Mask, plan and cost of" value=${r.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${y=>n({shown:y})} /><//>`}
      ${d===null&&Object.keys(c).length>0&&h`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${al} found=${m} request=${d?.pattern} output=${b} onChoose=${y=>n({output:y})} saving=${v} />
      <${sl} found=${f} saving=${v} />
      <${ol} found=${g} request=${a.mechanism} quantity=${r.quantity} compare=${r.compare}
        change=${n} saving=${v} place=${s} />
      <${ll} found=${$} state=${r} change=${n} clipped=${d!==null&&yd(r)} saving=${v} />
    </div>
  </div>`}function gd({mask:t,second:e,shown:n,scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p,backward:d}){let m={scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p||null,backward:d},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function xd(t,{mechanism:e,masks:n}){let{tokens:s,...r}=e,o=dl(t),a=o.grid?o.grid[0]*o.grid[1]:o.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...r,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...o,layers:t.layers,residual:t.residual,output:i}}}var dl=({tokens:t,grid:e})=>e&&e[0]*e[1]>Nr?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(Nr)))}:{tokens:e?t:Math.min(t,Nr),grid:e},yd=t=>JSON.stringify(dl(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function vd({known:t,state:e,change:n,wrong:s,place:r}){let o=V(),a=t.response?.presets??[],i=d=>["mask","second","scores","weighting"].every(m=>d[m]===e[m])&&!!d.grid==!!e.grid,l=a.find(i),c=({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v})=>n({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v,depth:null,output:null,shown:0}),u=H(()=>(Mr.includes(e.scores)?Mr:[...Mr,e.scores]).map(d=>[d,d]),[e.scores]),p=Sr.some(([d])=>d===e.weighting)?Sr:[...Sr,[e.weighting,e.weighting]];return h`<${q} title="Mechanism">
    <${I} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(d=>h`<label><input type="radio" name=${o} value=${d.name} checked=${d===l} onChange=${()=>c(d)} />
        <span>${d.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${vr} claim=${l?.claim} place=${r} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${pt} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${d=>n({mask:d})} />
          <${Gn} text=${s.mask} /></div>
        <div><${pt} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${d=>n({second:d,shown:d.trim()?e.shown:0})} /><${Gn} text=${s.second} /></div>
        <${bd} words=${t.response?.words??[]} />
      </div>
      <div><${et} label="Scores" value=${e.scores} options=${u} onChange=${d=>n({scores:d})} />
        <${Gn} text=${s.scores} /></div>
      <div><${et} label="Weights" value=${e.weighting} options=${p} onChange=${d=>n({weighting:d})} />
        <${Gn} text=${s.weighting} /></div>
    </div>
  <//>`}var Gn=({text:t})=>h`<div role="status" aria-live="polite">${t&&h`<p class="error patterns-wrong">${t}</p>`}</div>`;function bd({words:t}){return h`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>h`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function wd({devices:t,state:e,change:n}){let{grid:s}=e,r=o=>a=>n({grid:s.map((i,l)=>l===o?a:i),output:null});return h`<${q} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${yt} label="tokens on a grid" value=${s!==null} onChange=${o=>n({grid:o?[64,64]:null,output:null})} />
      ${s?h`<${Wt} label="Rows" value=${s[0]} values=${cl} onChange=${r(0)} />
          <${Wt} label="Columns" value=${s[1]} values=${cl} onChange=${r(1)} />`:h`<${Wt} label="Tokens N" value=${e.tokens} values=${md} onChange=${o=>n({tokens:o,output:null})} />`}
      <${Wt} label="Heads" value=${e.heads} values=${ul} onChange=${o=>n({heads:o})} />
      <${Wt} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${o=>n({width:o})} />
      <${Wt} label="Batch" value=${e.batch} values=${ul} onChange=${o=>n({batch:o})} />
      <${Wt} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${o=>n({block:o})} />
      <${et} label="Machine" value=${e.device} options=${t.map(o=>[o,pl[o]??o])}
        onChange=${o=>n({device:o})} />
      <${et} label="Numbers" value=${e.dtype} options=${hl} onChange=${o=>n({dtype:o})} />
      <${yt} label="include the backward pass" value=${e.backward} onChange=${o=>n({backward:o})} />
    </div>
  <//>`}var ml={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:xe,View:$d};var xl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:0,noise:null,plane:"tokens",axes:"0,1"},fl=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],yl={tokens:12,heads:4},ye=100,vl=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),_d=t=>t<=0?0:Math.max(1,Math.min(ye-1,Math.round(1+98*(Math.log10(t)+2)/4))),ct=(t,e)=>Array.from({length:e},(n,s)=>`${t}${Yn(s+1)}`),Yn=t=>String(t).replace(/\d/g,e=>"₀₁₂₃₄₅₆₇₈₉"[e]);function $l(t,e){let n=(r,o)=>Math.max(0,Math.min(r,o-1)),s=e.noise?.noise?.length===t.heads[0].q[0].length&&e.noise.index<t.x.length;return{x:t.x,heads:t.heads,out:t.out,beta:e.beta===null?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:n(e.head,t.heads.length),query:n(e.query,t.x.length),noise:s&&!e.hard?e.noise:null}}var kd=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]);function Md({ask:t,state:e,change:n,place:s}){let r=D(null),o=X(t,"example",{}),a=kd(e.problem)?e.problem:o.response,i=a&&$l(a,e),l=dt(t,"playground",i),c=l.response;if(!a)return h`<${I} error=${o.error} waiting=${!0} />`;if(!c)return h`<div class="sided playground"><${q} title="Attention">
      <${gl} state=${e} change=${n} beta=${e.beta} problem=${a} edit=${()=>{}} />
      <${I} error=${l.error} waiting=${!0} />
    <//></div>`;let u=JSON.parse(l.of),p=s==="file",d=$=>n({problem:{x:a.x,heads:a.heads,out:a.out,...$}});return h`<div class="sided playground" ref=${r}>
    <div>
      <${q} title="Attention" actions=${h`<${nt} name="playground" of=${r} numbers=${()=>Od(c,u)} saves=${()=>[["example",{}],...Array.from({length:ye+1},($,g)=>["playground",$l(a,{...e,...bl(g)})]),["playground",i]]} ask=${t} view="playground" state=${e} place=${s} />`}>
        <${gl} state=${e} change=${n} beta=${c.beta} problem=${a} edit=${d} isSaved=${p} />
        <${I} error=${l.error} />
      <//>
      <${Sd} state=${e} change=${n} found=${c} shown=${u} problem=${a} edit=${d} isSaved=${p} />
    </div>
    <div class="columns">
      <${Cd} found=${c} shown=${u} change=${p?null:n} />
      ${c.moved?h`<${Td} found=${c} shown=${u} change=${n} />`:e.plane==="keys"&&h`<${Ed} isHard=${u.hard} />`}
      <${Nd} problem=${a} head=${i.head} edit=${d} isSaved=${p} />
      <${Ad} found=${c} shown=${u} />
      ${c.merged&&h`<${q} title="Output" note=${`${u.heads.length>1?"All heads side by side":"The head"}, times W_O: a row for each token.`}>
        <${Ct} label="output" values=${c.merged} rowNames=${ct("y",c.merged.length)} digits=${5} />
      <//>`}
    </div>
  </div>`}var bl=t=>t===ye?{hard:!0}:{hard:!1,beta:vl(t)};function gl({state:t,change:e,beta:n,problem:s,edit:r,isSaved:o}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?ye:_d(i),c=s.heads.length,u=!fl.some(([$])=>$===t.mask),[p,d]=j(u),m=()=>{let[$,g]=[s.heads[0].q.length,s.heads[0].q[0].length],x=(y,w)=>Array.from({length:y},(M,A)=>Array.from({length:w},(_,T)=>A%w===T?1:0)),v=s.heads[0].v[0].length,b=s.out&&[...s.out,...x(v,s.out[0].length)];r({heads:[...s.heads,{q:x($,g),k:x($,g),v:x($,v)}],out:b}),e({head:c})},f=()=>{let $=s.heads[0].v[0].length,g=Math.min(t.head,c-1);r({heads:s.heads.filter((x,v)=>v!==g),out:s.out?.filter((x,v)=>Math.floor(v/$)!==g)??null}),e({head:Math.max(0,g-1)})};return h`<div class="stack">
    <div>
      <${rt} label="β" min="0" max=${ye} step="1" value=${l} onChange=${$=>e(bl($))}
        says=${$=>$===ye?"hard":$===l?z(i,4):z(vl($))} />
      <p class="note">β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest.
        <${xt} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${t.beta===null&&!t.hard}>back to 1/√${a}<//></p>
      ${o&&h`<p class="note">Saved from regard: the slider works; run regard explore to change anything else.</p>`}
    </div>
    <fieldset class="group" disabled=${o}>
    <${tt} label="Mask" value=${p?"custom":t.mask} options=${[...fl,["custom","write one"]]}
      onChange=${$=>(d($==="custom"),$!=="custom"&&e({mask:$}))} />
    ${p&&h`<${pt} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${$=>e({mask:$})} />`}
    <div class="row">
      <${tt} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map(($,g)=>[g,g+1])} onChange=${$=>e({head:$,noise:null})} />
      <span><${xt} onClick=${m} off=${c>=yl.heads} aria-label="add a head">+<//>${" "}<${xt} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
    </div>
    <div class="row"><button onClick=${()=>(d(!1),e({...xl}))}>Reset to the worked example</button></div>
    </fieldset>
  </div>`}function Sd({state:t,change:e,found:n,shown:s,problem:r,edit:o,isSaved:a}){let i=s.head,l=t.plane==="tokens"?r.x[0].length:n.q[i][0].length,c=[];for(let $=0;$<l;$++)for(let g=$+1;g<l;g++)c.push([`${$},${g}`,`${$+1} and ${g+1}`]);let[u,p]=(c.find(([$])=>$===t.axes)?.[0]??c[0]?.[0]??"0,0").split(",").map(Number),d=$=>({x:$[u]??0,y:$[p]??0}),m,f;if(t.plane==="tokens")m=r.x.map(($,g)=>({id:`x${g}`,...d($),name:`x${Yn(g+1)}`,kind:"token"})),f=($,g,x)=>o({x:r.x.map((v,b)=>`x${b}`===$?v.map((y,w)=>w===u?g:w===p?x:y):v)});else{let $=(x,v,b)=>s.noise?.on===x&&s.noise.index===v?b.map((y,w)=>y+s.noise.noise[w]):b,g=(x,v)=>v.map((b,y)=>{let w=$(x,y,b);return{id:`${x} ${y}`,...d(w),name:`${x[0]}${Yn(y+1)}`,kind:x,from:w===b?null:[b[u],b[p]]}});m=[...g("query",n.q[i]),...g("key",n.k[i])],f=(x,v,b)=>{let[y,w]=x.split(" "),A=n[y==="key"?"k":"q"][i][w].map((_,T)=>Number(((T===u?v:T===p?b:_)-_).toFixed(6)));e({noise:{on:y,index:Number(w),noise:A},hard:!1})}}return h`<${q} title="In the plane">
    <${tt} label="Move" value=${t.plane} options=${[["tokens","tokens"],["keys","queries and keys"]]} onChange=${$=>e({plane:$})} />
    <p class="note">${t.plane==="tokens"?"Drag a token: its query, key and value follow.":"Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked."}</p>
    ${c.length>1&&h`<${et} label="Coordinates" value=${`${u},${p}`} options=${c} onChange=${$=>e({axes:$})} />`}
    <${Pd} label=${t.plane==="tokens"?"the tokens":"queries and keys"} points=${m} onMove=${a?()=>{}:f}
      xLabel=${`coordinate ${u+1}`} yLabel=${`coordinate ${p+1}`} height=${260} />
    ${s.noise&&h`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function Nd({problem:t,head:e,edit:n,isSaved:s}){let{x:r,heads:o,out:a}=t,i=o[e],l=u=>p=>n({heads:o.map((d,m)=>m===e?{...d,[u]:p}:d)}),c=()=>n({x:[...r,r[0].map(()=>0)]});return h`<${q} class="wide" title="Numbers you can change" note="Type, use the up and down keys, or drag a number sideways.">
    <fieldset class="row playground-inputs group" disabled=${s}>
      <div><h3>X, the tokens</h3><${Cr} label="X" values=${r} rowNames=${ct("x",r.length)} onChange=${u=>n({x:u})}
        onRemoveRow=${r.length>1?u=>n({x:r.filter((p,d)=>d!==u)}):null} />
        <${xt} onClick=${c} off=${r.length>=yl.tokens}>Add a token<//></div>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([u,p])=>h`<div><h3>${p}${o.length>1?` of head ${e+1}`:""}</h3><${Cr} label=${p} values=${i[u]} onChange=${l(u)} /></div>`)}
      ${a&&h`<div><h3>W_O</h3><${Cr} label="W_O" values=${a} onChange=${u=>n({out:u})} /></div>`}
    </fieldset>
  <//>`}function Cd({found:t,shown:e,change:n}){let s=e.head,r=e.x.length,[o,a]=[ct("q",r),ct("k",r)];return h`<${q} class="wide" title=${e.heads.length>1?`Head ${s+1}`:"The head"} note="A row for each query, a column for each key. Choose a query to see its Jacobian.">
    <div class="row playground-results">
      <div><h3>Logits β·q·k</h3><${Ct} label="logits" values=${t.logits[s]} scale="signed" rowNames=${o} columnNames=${a} /></div>
      <div><h3>Weights</h3><${Ct} label="weights" values=${t.weights[s]} scale="weight" limit=${1} rowNames=${o} columnNames=${a} digits=${4}
        chosen=${e.query} onRow=${n&&(i=>n({query:i}))} /></div>
      <div><h3>Outputs Σ a·v</h3><${Ct} label="outputs" values=${t.outputs[s]} rowNames=${ct("o",r)} digits=${4} /></div>
    </div>
  <//>`}function Ad({found:t,shown:e}){let n=Math.sqrt(t.jacobian.flat().reduce((r,o)=>r+o*o,0)),s=e.x.length;return h`<${q} title=${`How the weights of q${Yn(e.query+1)} respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Ct} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${ct("a",s)} columnNames=${ct("z",s)} />
    <p class="note">Frobenius norm <b data-norm>${z(n,4)}</b>, at most 1 − Σa².</p>
  <//>`}function Td({found:t,shown:e,change:n}){let{moved:s}=t,r=e.x.length,o=s.moved.flat(),a=o.filter(Boolean).length,i=s.moved.filter(d=>d.some(Boolean)).length,{on:l,index:c,noise:u}=e.noise,p=Math.max(...s.predicted.flatMap((d,m)=>d.map((f,$)=>Math.abs(f-s.weights[m][$]))));return h`<${q} class="wide" title=${`Noise on ${l} ${c+1}`}
    note=${l==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${h`<button onClick=${()=>n({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(d=>z(d)).join(", ")}): <b>${a} of ${o.length}</b> weights moved, of <b>${i} of ${r}</b> queries; <b>${s.outputs_moved.filter(Boolean).length} of ${r}</b> outputs. Σ(a′ − a)² = ${z(s.energy)}.</p>
    <div class="row playground-results">
      <div><h3>Weights after it</h3><${Ct} label="weights after the noise" values=${s.weights} scale="weight" limit=${1} moved=${s.moved} rowNames=${ct("q",r)} columnNames=${ct("k",r)} digits=${4} /></div>
      <div><h3>Their change</h3><${Ct} label="change of the weights" values=${s.change} scale="signed" moved=${s.moved} rowNames=${ct("q",r)} columnNames=${ct("k",r)} /></div>
      <div><h3>Outputs after it</h3><${Ct} label="outputs after the noise" values=${s.outputs} moved=${s.outputs.map((d,m)=>d.map(()=>s.outputs_moved[m]))} rowNames=${ct("o",r)} digits=${4} /></div>
      <div><h3>Added to the logits</h3><${Ct} label="added to the logits" values=${s.shift} scale="signed" rowNames=${ct("q",r)} columnNames=${ct("k",r)} /></div>
      <div><h3>To first order</h3><${Ct} label="change to first order" values=${s.first_order} scale="signed" rowNames=${ct("q",r)} columnNames=${ct("k",r)} /></div>
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${z(p)}.</p>
  <//>`}function Ed({isHard:t}){return h`<${q} class="wide playground-silence" title="Noise"
    note=${t?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query in the plane, or move it with the arrow keys: this panel shows what changes."} />`}function Od(t,e){let n=o=>Array.isArray(o)?o.flatMap(n):[o],s=o=>Array.isArray(o)?[o.length,...s(o[0])]:[],r={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs,jacobian:t.jacobian};return t.merged&&(r.merged=t.merged),t.moved&&Object.assign(r,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(r).map(([o,a])=>[o,{shape:s(a),data:n(a)}]))}function Ct({label:t,values:e,scale:n,limit:s,rowNames:r,columnNames:o,moved:a,chosen:i,onRow:l,digits:c=3}){lt();let u=s??Math.max(1e-12,...e.flat().map(p=>Math.abs(p??0)));return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${o&&h`<thead><tr>${r&&h`<td></td>`}${o.map(p=>h`<th scope="col">${p}</th>`)}</tr></thead>`}
    <tbody>${e.map((p,d)=>h`<tr class=${i===d?"chosen":""}>
        ${r&&h`<th scope="row">${l?h`<button class="quiet" aria-pressed=${i===d} onClick=${()=>l(d)}>${r[d]}</button>`:r[d]}</th>`}
        ${p.map((m,f)=>h`<td><span class=${`value${a?a[d][f]?" moved":" still":""}`} title=${m===null?"hidden":String(m)}
            style=${n&&m!==null?{background:St(m,n,u),color:En(m,n,u)}:null}>${m===null?"−∞":z(m,c)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function Cr({label:t,values:e,rowNames:n,columnNames:s,onChange:r,onRemoveRow:o,step:a=.1}){let i=(c,u,p)=>r(e.map((d,m)=>m===c?d.map((f,$)=>$===u?p:f):d)),l=(c,u)=>{let p=c.currentTarget.closest("table");o(u),requestAnimationFrame(()=>(p.querySelectorAll("button")[Math.min(u,e.length-2)]??p.querySelector("input"))?.focus())};return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${s&&h`<thead><tr>${n&&h`<td></td>`}${s.map(c=>h`<th scope="col">${c}</th>`)}</tr></thead>`}
    <tbody>${e.map((c,u)=>h`<tr>
        ${n&&h`<th scope="row">${n[u]}</th>`}
        ${c.map((p,d)=>h`<td><${me} label=${`${t}, row ${u+1}, column ${d+1}`} value=${p} step=${a} onChange=${m=>i(u,d,m)} /></td>`)}
        ${o&&h`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${p=>l(p,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function Pd({label:t,points:e,onMove:n,onChoose:s,chosen:r,xLabel:o,yLabel:a,step:i=.1,height:l=330}){let[c,u]=G(),[p,d]=j(null),m=D(null),f=1.18*Math.max(1,...e.flatMap(({x:_,y:T,from:k})=>[_,T,...k??[]].map(Math.abs))),$=p?.bound??f,g=Math.max(60,Math.min(u,560)/2),x=(Math.min(2*g,l)/2-8)/$,v=(_,T)=>Re().domain([-_/x,_/x]).range([(1-T)*_,(1+T)*_]),[b,y]=[v(g,1),v(l/2,-1)],w=_=>Number((Math.round(_/(i/2))*(i/2)).toFixed(4)),M=_=>{if(!p)return;let T=m.current.getBoundingClientRect();n(p.id,w(b.invert(_.clientX-T.left)),w(y.invert(_.clientY-T.top)))},A=(_,T)=>{let k={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[_.key];if(k){_.preventDefault();let P=_.shiftKey?10:1;n(T.id,Number((T.x+P*k[0]).toFixed(4)),Number((T.y+P*k[1]).toFixed(4)))}else(_.key==="Enter"||_.key===" ")&&(_.preventDefault(),s?.(T.id))};return h`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*g} height=${l} role="group" aria-label=${t} onPointerMove=${M}
      onPointerUp=${()=>d(null)} onPointerCancel=${()=>d(null)}>
      <g class="axes"><line x1="8" x2=${2*g-8} y1=${y(0)} y2=${y(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(_=>h`<text x=${b(_)} y=${y(0)+15} text-anchor="middle">${z(_)}</text>`)}
        ${y.ticks(5).filter(Boolean).map(_=>h`<text x=${b(0)-6} y=${y(_)} dy="0.35em" text-anchor="end">${z(_)}</text>`)}
        <text x=${2*g-8} y=${y(0)-7} text-anchor="end">${o}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(_=>_.from&&h`<g class="came"><circle cx=${b(_.from[0])} cy=${y(_.from[1])} r="5" /><line x1=${b(_.from[0])} y1=${y(_.from[1])} x2=${b(_.x)} y2=${y(_.y)} /></g>`)}
      ${e.map(_=>h`<g class=${`point ${_.kind}${r===_.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${_.name} at ${z(_.x)}, ${z(_.y)}; arrow keys move it`} data-point=${_.id}
        transform=${`translate(${b(_.x)},${y(_.y)})`} onKeyDown=${T=>A(T,_)}
        onPointerDown=${T=>{T.preventDefault(),T.currentTarget.focus(),m.current.setPointerCapture(T.pointerId),d({id:_.id,bound:$}),s?.(_.id)}}>
        ${_.kind==="key"?h`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:h`<circle r="8" />`}
        <text x="12" y="-8">${_.name}</text>
      </g>`)}
    </svg>
  </div>`}var wl={name:"playground",title:"Playground",about:"Four tokens, two heads, every number: change anything and see what attention makes of it.",state:xl,View:Md};var _l=["loss","rate","gradient"],Ar=36,Ld=800;function Qn(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(r=>[...t.get(r)??[]].map(([o,a])=>({run:r,name:e.length>1?`${r} · ${o}`:o,...a}))).filter(r=>s.every(o=>r.name.toLowerCase().includes(o)))}function Nl({curves:t,names:e,state:n,change:s}){let r=Qn(t,e,""),o=Qn(t,e,n.only),a=Dd(o.slice(0,Ar)),i=[...new Set(r.flatMap(d=>Object.keys(d.columns)))],l=_l.filter(d=>i.includes(d)),c=i.filter(d=>d!=="step"&&!_l.includes(d)),u=l.includes(n.metric)?n.metric:l[0],p=c.includes(n.evaluated)?n.evaluated:c[0];return l.length?h`<div>
    <div class="row runs-controls" data-unpictured>
      <${yt} label="Logarithmic" value=${n.log} onChange=${d=>s({log:d})} />
      <${rt} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${d=>s({smoothing:d})}
        says=${d=>d?z(d,2):"none"} />
      ${r.length>3&&h`<${pt} label=${`Only curves with these words, of ${r.length}`} value=${n.only} live max=${100}
        placeholder=${Rd(r)} onChange=${d=>s({only:d})} />`}
    </div>
    ${o.length>Ar&&h`<p class="hint">The first ${Ar} of ${o.length} curves are drawn; filter them above.</p>`}
    ${!o.length&&h`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${zd} shown=${a} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${tt} label=${h`<span class="unseen">Number at each step</span>`} value=${u} options=${kl(l)}
              onChange=${d=>s({metric:d})} /></div></div>
          <${Pt} series=${Sl(a,u,n.smoothing)} label=${`${u} by step`} xLabel="step"
            yLabel=${n.smoothing?`${u}, smoothed`:u} logY=${n.log} height=${270} says=${Ml} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${p&&h`<${et} label="Number at evaluations" hidden value=${p} options=${kl(c)}
              onChange=${d=>s({evaluated:d})} />`}</div></div>
          ${p?h`<${Pt} series=${Sl(a,p,0)} label=${`${p} by step`} xLabel="step" yLabel=${p}
                height=${270} says=${Ml} />`:h`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:h`<p class="hint">No step has been recorded yet.</p>`}function zd({shown:t}){return t.length<2?null:h`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map((e,n)=>h`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${qe[n%6]} /></svg>${e.name}</li>`)}
  </ul>`}var kl=t=>t.map(e=>[e,e]),Ml=(t,e=4)=>z(t,e);function Rd(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function Dd(t){let e=[...new Set(t.map(s=>s.run))],n=e.length===1||e.some(s=>t.filter(r=>r.run===s).length>6);return t.map((s,r)=>({...s,class:Mt[(n?r+Math.floor(r/6):e.indexOf(s.run))%6]}))}function Sl(t,e,n){return t.map(({name:s,columns:r,class:o})=>{let a=(r.step??[]).map((l,c)=>[l,r[e]?.[c]??null]).filter(([,l])=>l!==null);n&&(a=jd(a,n));let i=Math.ceil(a.length/Ld);return a=a.filter((l,c)=>c%i===0||c===a.length-1),{name:s,x:a.map(([l])=>l),y:a.map(([,l])=>l),class:o}})}function jd(t,e){let[n,s]=[0,0];return t.map(([r,o])=>(n=e*n+o,s=e*s+1,[r,n/s]))}function Cl(t){let e=[...new Set(t.flatMap(r=>Object.keys(r.columns)))],n=t.flatMap(({name:r,lines:o,columns:a},i)=>Array.from({length:o},(l,c)=>[r,[i,...e.map(u=>a[u]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,r])=>r),rows:n.map(([r])=>r),columns:s}}}var Al=1e3,qd=3e3,Fd=30;function Tl(t,e){W(()=>{let n=new AbortController,[s,r,o]=[0,!1,null],a=async()=>{clearTimeout(s),!(r||n.signal.aborted)&&(r=!0,o=await t(n.signal),r=!1,o!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,o)))},i=()=>!document.hidden&&o!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function Zn(t,e){let[n,s]=j({response:null,error:null}),r=D("");return Tl(async o=>{let a=null;try{a=await t("runs",{},{signal:o});let i=JSON.stringify(a);i!==r.current&&s({response:a,error:null}),r.current=i}catch(i){if(bt(i))return null;r.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?Al:qd},[t,e]),n}function El(t,e,n){let s=D(new Map),[r,o]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return Tl(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let u of e){let p=s.current.get(u.name);if(!(p&&p.state===u.state&&u.state!=="running"))try{let[d,m]=await Id(t,u.name,p?.trainings??new Map,i,n);s.current.set(u.name,{state:u.state,trainings:d}),l||=m||!p}catch(d){if(bt(d))return null;c=d.message}}return(l||c)&&o({curves:new Map([...s.current].map(([u,p])=>[u,p.trainings])),error:c}),n!=="file"&&e.some(u=>u.state==="running")?Al:null},[t,a,n]),r}async function Id(t,e,n,s,r){let o=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...o].map(([p,{lines:d,mark:m}])=>[p,{lines:d,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),u=new Set(c.trainings.map(p=>p.name));for(let p of o.keys())u.has(p)||(o.delete(p),a=!0);for(let{name:p,start:d,lines:m,mark:f,columns:$}of c.trainings){let g=o.get(p);g&&d===g.lines&&m===g.lines||(a=!0,o.set(p,{lines:m,mark:f,columns:Wd(g?.columns??{},d,$,m)}))}i=c.more&&r!=="file"}return[o,a]}function Wd(t,e,n,s){let r=o=>new Array(o).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(o=>[o,[...t[o]?.slice(0,e)??r(e),...n[o]??r(s-e)]]))}function Ol(t){let e=D(new Map);for(let n of t)for(let{name:s,step:r,written:o}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===r)continue;let c=l&&r<l.step?[]:i.filter(u=>o-u.written<Fd);e.current.set(a,[...c,{step:r,written:o}])}return(n,s)=>{let r=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[o,a]=[r[0],r.at(-1)];return r.length<2||a.written<=o.written?null:(a.step-o.step)/(a.written-o.written)}}var ve=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function Er({text:t}){let e=D(null),[n,s]=j("");return h`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function Pl({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?ve(t):null,s=l=>l.steps!==null&&l.step>=l.steps,r=l=>s(l)||t.state==="running"&&l!==n,o=t.trainings.filter(r),a=o.length>4,i=t.trainings.filter(l=>!a||!o.includes(l)).sort((l,c)=>l.written-c.written);return h`<div class="runs-progress">
    ${a&&h`<p class="note">${o.length} trainings are done.</p>`}
    ${i.map(l=>h`<${Bd} key=${l.name} one=${l} speed=${t.state==="running"&&!r(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&h`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&h`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&h`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Er} text=${t.resume} />`}
  </div>`}var Tr=t=>t.toLocaleString("en");function Bd({one:{name:t,step:e,steps:n},speed:s}){let r=s&&n?(n-e)/s:null,o=[n?`step ${Tr(e)} of ${Tr(n)}`:`step ${Tr(e)}`];return s&&o.push(`${z(s,2)} steps/s`),r!==null&&o.push(`${Hd(r)} left`),h`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&h`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${o.join(" · ")}</span>
  </div>`}function Hd(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${z(t/3600,2)} h`}function Ll({ask:t,run:e,text:n}){let s=D(null);return W(()=>{let r=new AbortController,o=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))Ud(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=Kd(a);t("figure",{run:e,name:a.dataset.figure},{signal:r.signal}).then(({header:l,data:c,offset:u})=>{o.push(URL.createObjectURL(new Blob([new Uint8Array(c,u)],{type:l.kind}))),a.src=o.at(-1)},l=>bt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{r.abort(),o.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),h`<div class="runs-report" ref=${s}></div>`}function Ud(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function Kd(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var zl=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function Rl({numbers:t}){let e=Object.keys(t);return h`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>h`<tr><th scope="row">${n}</th><td class="number">${z(t[n],4)}</td></tr>`)}
    </tbody></table></div></details>`}function Dl({settings:t}){let e=t.filter(n=>n.own!==null).length;return h`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:r})=>h`<tr class=${r===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${r===null?"":h`<code>${r}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var Vd={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function Jd({ask:t,state:e,change:n,place:s}){let r={...e,smoothing:Zs(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:o,error:a}=Zn(t,s),i=o?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,y)=>y.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),u=D(null);u.current??=[...l,...c][0]?.name??null;let p=i.find(b=>b.name===(r.run??u.current)),d=i.filter(b=>b!==p&&r.compared.includes(b.name)),m=p?[p,...d]:[],f=El(t,m,s),$=Ol(i),g=D([r.run,...r.compared]).current,x=b=>s==="file"?b.filter(y=>g.includes(y.name)):b,v=(b,y)=>n({compared:[...r.compared.filter(w=>w!==b),...y?[b]:[]]});return o?h`<div class="sided runs">
    <div class="panel runs-side">
      <${I} error=${a} />
      ${!l.length&&s!=="file"&&h`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Qt} place=${s} what="see other runs" />
      <${Zd} groups=${[["Yours",x(l)],["Comes with regard",x(c)]]} unreadable=${s==="file"?[]:o.unreadable}
        chosen=${p?.name} compared=${r.compared} onChoose=${b=>n({run:b})} onCompare=${v} />
    </div>
    ${p?h`<${Xd} key=${`${p.name} ${p.state} ${p.started}`} ...${{ask:t,state:r,change:n,place:s,run:p,shown:m,found:f,speed:$}} />`:h`<${q} title=${r.run}><p>This run no longer exists.</p><//>`}
  </div>`:h`<${I} error=${a} waiting>reading the runs …<//>`}function Xd({ask:t,state:e,change:n,place:s,run:r,shown:o,found:a,speed:i}){let l=D(null),{response:c,error:u,waiting:p}=X(t,"report",{run:r.name}),d=o.map(f=>f.name),m=()=>[["runs",{}],...d.map(f=>["curves",{run:f,after:{}}]),...d.map(f=>["report",{run:f}]),...zl(c?.html).map(f=>["figure",{run:r.name,name:f}])];return h`<div class="runs-detail" ref=${l}>
    <${q} title=${h`<span class="runs-title">${r.name}</span> <${Or} state=${r.state} />`}
      actions=${h`<${nt} name=${`runs-${r.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:r.name}} place=${s}
        numbers=${()=>Cl(Qn(a.curves,d,e.only))} saves=${m} />`}>
      ${r.headline&&h`<p class="runs-result">${r.headline}</p>`}
      ${r.is_smoke&&h`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${r.is_shipped?"Comes with regard; made with":h`Recipe ${r.recipe}, started ${Yd(r.started)} with`}</p>
      <${Er} text=${r.command} />
      ${s==="page"&&h`<${Gd} ask=${t} run=${r} />`}
      <${Pl} run=${r} speed=${i} />
    <//>
    <section class="panel">
      <${I} error=${a.error} waiting=${!a.curves.has(r.name)}>reading the curves …<//>
      ${a.curves.has(r.name)&&h`<${Nl} curves=${a.curves} names=${d} state=${e} change=${n} />`}
    </section>
    <${q} title="Report">
      <${I} error=${u} waiting=${p}>reading the report …<//>
      ${c?.html&&h`<${Ll} ask=${t} run=${r.name} text=${c.html} />`}
      ${c&&!c.html&&h`<p class="hint">${r.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&h`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&h`<${Rl} numbers=${c.numbers} />`}
      <${Dl} settings=${c.settings} />
    </section>`}
  </div>`}function Gd({ask:t,run:e}){let n=X(t,"models",{}).response?.models??[],s=X(t,"recorded",{}).response?.trainings??[],r=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,o=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!o&&!a?null:h`<p class="note runs-elsewhere" data-unpictured>
    ${o&&h`<a href=${r("maps",{model:o.name})}>Look at its attention maps</a>`}${o&&a&&" · "}
    ${a&&h`<a href=${r("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function Yd(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var jl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:Vd,View:Jd},Qd={done:h`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:h`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:h`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:h`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},Or=({state:t})=>h`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${Qd[t]}</svg>${t}</span>`;function Zd({groups:t,unreadable:e,chosen:n,compared:s,onChoose:r,onCompare:o}){let a=D(null);return W(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],u=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;u>0&&(c.scrollTop+=u+12)},[n]),h`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],u=c.indexOf(l.target),p=u<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:Ft(l,u,c.length,1);p!==null&&c[p].focus()}}>
    ${t.map(([l,c])=>c.length>0&&h`<section><h2>${l}</h2><ul>
      ${c.map(u=>h`<li key=${u.name} class=${u.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${u.name===n?"true":null} onClick=${()=>r(u.name)}>
          <span class="runs-name">${u.name}</span><${Or} state=${u.state} />
          <span class="runs-headline">${u.headline??tm(u)}</span>
        </button>
        ${u.name!==n&&h`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(u.name)} onChange=${p=>o(u.name,p.target.checked)} />
          compare<span class="unseen"> ${u.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&h`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>h`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${Or} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function tm(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=ve(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var em={token:"A piece of text, often a word: what a model reads one at a time. Pixels and patches can be tokens too.",head:"One attention of its own, with its own queries, keys and values. A layer has several, side by side.",layer:"A step of the model: attention, then a small network on each token. Layers are stacked.",weight:"How much a query takes of a key's value: from 0 to 1, and all weights of a query sum to 1.",query:"The vector with which a token asks: it is compared with every key.",key:"The vector that a token offers to be found by.",value:"The vector that a token gives to those who look at it.",logit:"The score of a query and a key, β·q·k, before the softmax makes weights of all of them.",mask:"Who may see whom: a hidden pair has weight 0, whatever its score.",map:"All weights of a head: a row for each query, a column for each key.",softmax:"Scores to weights: each is e to the power of the score, divided by the sum of all.",kernel:"The weights of a convolution: for each offset, what is taken of the pixel there.",exact:"Equal to the definition of the mechanism, up to rounding: nothing is left out or approximated.",receptive:"The receptive field: all tokens of the input that can change an output, through all layers."};function be({of:t,children:e}){let n=V(),s=D(null),[r,o]=j(null),a=()=>{let{left:l,bottom:c}=s.current.getBoundingClientRect();o({left:`${Math.max(8,Math.min(l,innerWidth-288))}px`,top:`${c+6}px`})},i=()=>o(null);return h`<button ref=${s} type="button" class="word" aria-describedby=${r?n:null} onPointerEnter=${a} onPointerLeave=${i}
    onFocus=${a} onBlur=${i} onClick=${a} onKeyDown=${l=>l.key==="Escape"&&i()}>${e}</button>${r&&h`<span id=${n} role="tooltip" class="definition" style=${r}>${em[t]}</span>`}`}var ql=2,nm=[["Learn","playground","The playground: every number of attention, in five steps","claims","Claims: check what you know, and get the counterexample"],["Inspect","maps","Maps: what each head of a model looks at in your text","heads","Heads: gaussian heads, from training to convolution"],["Design","patterns","Patterns: who may see whom, what it costs, how far it reaches",null,null]];function Fl({ask:t,place:e}){return h`<div class="start-doors">
    ${nm.map(([n,s,r,o,a])=>h`<section class="panel start-door"><h2>${n}</h2>
      <p><a href=${`#${s}`}>${r}</a></p>${o&&h`<p><a href=${`#${o}`}>${a}</a></p>`}</section>`)}
    <${sm} ask=${t} place=${e} />
  </div>`}function sm({ask:t,place:e}){let{response:n,error:s}=Zn(t,e),r=(n?.runs??[]).filter(o=>!o.is_shipped).sort((o,a)=>(a.state==="running")-(o.state==="running")||a.started.localeCompare(o.started));return h`<section class="panel start-door"><h2>Your runs</h2>
    ${s&&h`<p class="error">${s}</p>`}
    ${n&&!r.length&&h`<p>None yet: <code>regard train reversal</code> trains a model that you can watch here.</p>`}
    ${r.slice(0,ql).map(o=>h`<${rm} run=${o} />`)}
    ${r.length>0&&h`<p><a href="#runs">${r.length>ql?`All ${r.length} runs`:"Curves and reports"}</a></p>`}
  </section>`}function rm({run:t}){let{step:e,steps:n}=t.trainings.length?ve(t):{step:0,steps:null},s=`${e.toLocaleString("en")}${n?` of ${n.toLocaleString("en")}`:""}`;return h`<p class="start-run"><a href=${`#runs?${encodeURIComponent(JSON.stringify({run:t.name}))}`}>${t.name}</a>
    ${t.state==="running"&&n?h`<progress max=${n} value=${e} aria-label=${`${t.name}: step ${s}`}></progress>`:null}
    <small>${t.state==="running"?`step ${s}`:t.state}</small></p>`}var om=.015,Il=3,Pr=t=>t.trim()||(t?"␣":"start"),we=(t,e)=>Array.from(t.keys()).sort((n,s)=>t[s]-t[n]).slice(0,e).filter((n,s)=>!s||t[n]>=.005);function Wl({read:t,row:e,query:n,pinned:s,onPoint:r,onPin:o}){lt();let[a,i]=G(),[l,c]=j([]),u=D(null);it(()=>{let f=[...u.current.children].map(({offsetLeft:$,offsetTop:g,offsetWidth:x,offsetHeight:v})=>({x:$+x/2,y:g,w:x,h:v}));c(f)},[t,i]);let p=l.length===t.pieces.length,d=f=>{let $=Ft(f,n,t.pieces.length);$!==null&&u.current.children[$].focus()},m=f=>f===n?`${t.names[f]} looks at ${we(e,Il).map($=>`${t.names[$]} ${$t(e[$])}`).join(", ")}`:t.names[f];return h`<div class="start-sentence" ref=${a} onPointerLeave=${()=>r(null)}>
    ${p&&h`<svg class="start-arcs" aria-hidden="true">
      ${Array.from(e,(f,$)=>f>=om&&h`<path key=${$} class="start-arc" d=${im(l[n],l[$])}
        stroke-width=${1+8*f} stroke-opacity=${.25+.75*Math.sqrt(f)} />`)}
    </svg>`}
    <div class="start-tokens" ref=${u} role="group" aria-label="The tokens of the sentence" onKeyDown=${d}>
      ${t.pieces.map((f,$)=>h`<button key=${$} class=${am(f,$,n)} tabindex=${$===n?0:-1}
        aria-pressed=${String($===s)} aria-label=${m($)} data-token=${$}
        style=${$<=n?{background:St(e[$],"weight",1),color:En(e[$],"weight",1)}:null}
        onPointerEnter=${()=>r($)} onFocus=${()=>r($)} onClick=${()=>o($===s?null:$)}>
        <span>${t.names[$]}</span><small>${$<=n?$t(e[$]):" "}</small></button>`)}
    </div>
    ${p&&h`<p class="start-told" style=${{left:`${Math.max(100,Math.min(l[n].x,i-100))}px`,top:`${l[n].y+l[n].h+8}px`}}>
      ${we(e,Il).map(f=>h`<span><b>${$t(e[f])}</b> ${f===n?"itself":t.names[f]}</span>`)}</p>`}
  </div>`}var am=(t,e,n)=>`start-token${e===n?" is-query":""}${e>0&&/^\p{L}/u.test(t)&&e>1?" goes-on":""}${e>n?" comes-later":""}`;function im(t,e){if(t===e)return`M${t.x-7},${t.y} C${t.x-20},${t.y-30} ${t.x+20},${t.y-30} ${t.x+7},${t.y}`;if(Math.abs(t.y-e.y)>4){let[s,r]=t.y>e.y?[t.y,e.y+e.h]:[t.y+t.h,e.y],o=(s+r)/2;return`M${t.x},${s} C${t.x},${o} ${e.x},${o} ${e.x},${r}`}let n=Math.min(74,16+.14*Math.abs(t.x-e.x));return`M${t.x},${t.y} C${t.x},${t.y-1.33*n} ${e.x},${e.y-1.33*n} ${e.x},${e.y}`}function lm({names:t,width:e,head_width:n},s,r){let[o,a]=we(s,2),i=a===void 0||!(s[a]>0);return[["tokens","Tokens","Text is cut into tokens. Each is a vector.",h`“${t[r]}”: ${e} numbers`],["qkv","q, k, v","It asks with a query, offers a key, gives a value.",h`${n} numbers each`],["logits","q · k · β","Its query meets every key. The product is a score.",i?h`one key to meet`:h`“${t[o]}” beats “${t[a]}” by ${z(Math.log(s[o]/s[a]),2)}`],["softmax","softmax","Scores become weights, which sum to 100 %.",i?h`${$t(s[o])}`:h`${$t(s[o])}, ${$t(s[a])}, …`],["mix","mix","It takes the values, mixed by these weights.",i?h`1 · v(${t[o]})`:h`${z(s[o],2)} · v(${t[o]}) + ${z(s[a],2)} · v(${t[a]}) + …`]]}function Bl({read:t,row:e,query:n,place:s}){return h`<ol class="start-steps" aria-label="Attention in five steps">
    ${lm(t,e,n).map(([r,o,a,i],l)=>{let c=h`<span class="start-number" aria-hidden="true">${l+1}</span><b>${o}</b><span class="start-says">${a}</span><span class="start-now">${i}</span>`;return h`<li>${s==="page"?h`<a href=${`#playground?${encodeURIComponent(JSON.stringify({step:r}))}`}>${c}</a>`:h`<div>${c}</div>`}</li>`})}
  </ol>`}var Lr=["A man in a blue shirt is standing on a","Two dogs are running through the","A little girl in a pink dress is"],Hl=400,cm={text:Lr[0],head:"",token:null};function um({ask:t,state:e,change:n,place:s}){let r=D(null),o={text:e.text.slice(0,Hl)},a=dt(t,"start",o),i=H(()=>a.response&&pm(a.response),[a.response]),[l,c]=j(null),u=x=>(c(null),n({text:x,token:null}));if(!i)return h`<div class="start"><${q}><${I} error=${a.error} waiting=${!0} lines=${5} /><//></div>`;let p=i.pieces.length,[d,m]=dm(i,e.head),f=hm(l??e.token??p-1,p),$=i.rowOf(d,m,f),g=()=>({weights:{shape:[p,p],data:i.mapOf(d,m),rows:i.names,columns:i.names,axes:["query","key"]}});return h`<div class="start">
    <div class="start-live">
      <${q} class="start-read">
        <div class="start-tools">
          <${gt} class="start-write" place=${s} what="write another sentence">
            <${pt} label="The sentence: write your own" live value=${e.text} max=${Hl} onChange=${u} />
          <//>
          <${et} label="Head" value=${e.head} options=${mm(i)} onChange=${x=>n({head:x})} />
          <${nt} name="attention" of=${r} numbers=${g} saves=${()=>[["start",o],["runs",{}]]} ask=${t}
            view="start" state=${e} place=${s} />
        </div>
        <figure class="start-figure" ref=${r}>
          <${Wl} read=${i} row=${$} query=${f} pinned=${e.token} onPoint=${c} onPin=${x=>n({token:x})} />
          <figcaption>${fm(i,d,m,f,$)}</figcaption>
        </figure>
        <${I} error=${a.error} />
        ${s==="page"&&h`<p class="start-examples"><span class="hint">Or read</span>
          ${Lr.filter(x=>x!==e.text).map(x=>h`<button class="quiet" onClick=${()=>u(x)}>${x} …</button>`)}</p>`}
      <//>
      <${q} class="start-next" title="What comes next?">
        <${gt} place=${s} noted=${!1}><${$m} read=${i} text=${e.text} isFull=${p>=i.context} write=${u} /><//>
      <//>
    </div>
    <${Bl} read=${i} row=${$} query=${f} place=${s} />
    ${s==="page"&&h`<${Fl} ask=${t} place=${s} />`}
  </div>`}function pm({header:t,data:e,offset:n}){let s=t.pieces.length,r=new Float32Array(e,n,t.layers*t.heads*s*s),o=(i,l)=>r.subarray((i*t.heads+l)*s*s,(i*t.heads+l+1)*s*s);return{...t,mapOf:o,rowOf:(i,l,c)=>o(i,l).subarray(c*s,(c+1)*s),names:t.pieces.map(Pr)}}var hm=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function dm({layers:t,heads:e,telling:n},s){let[r,o]=s.split(".").map(Number);return/^\d+\.\d+$/.test(s)&&r<t&&o<e?[r,o]:n}function mm({layers:t,heads:e,telling:[n,s]}){let r=o=>[`Layer ${o+1}`,Array.from({length:e},(a,i)=>[`${o}.${i}`,`layer ${o+1}, head ${i+1}`])];return[["",`layer ${n+1}, head ${s+1} (looks farthest)`],...Array.from({length:t},(o,a)=>r(a))]}var fm=(t,e,n,s,r)=>h`<b>${t.names[s]}</b> looks at
  ${we(r,3).map((o,a)=>h`${a?", ":" "}<b>${o===s?"itself":t.names[o]}</b> ${$t(r[o])}`)}:
  the <${be} of="weight">weights<//> of <${be} of="head">head<//> ${n+1} in <${be} of="layer">layer<//> ${e+1},
  one of ${t.layers*t.heads} in this model.`;function $m({read:t,text:e,isFull:n,write:s}){if(n)return h`<p>The model was trained on ${t.context} <${be} of="token">tokens<//> at a time. <button onClick=${()=>s(Lr[0])}>Start anew</button></p>`;let r=t.next[0].probability;return h`<p class="note">The model gives every <${be} of="token">token<//> a probability. Click one to append it.</p>
    <ol class="start-bars">${t.next.map(({piece:o,probability:a})=>h`<li key=${o}><button title=${`${a}`}
      onClick=${()=>s(o?e.trimEnd()+(e.trim()?o:o.trimStart()):"")}>
      <span class="start-bar" style=${{width:`${100*a/r}%`}}></span>
      <span class="start-piece">${o?Pr(o):"end, begin a new one"}</span><span class="start-share">${$t(a)}</span></button></li>`)}</ol>`}var Ul={name:"start",title:"Start",headline:"Attention: every word looks at the words before it, and takes what it needs.",about:"A small Transformer, trained on captions of photographs, reads this sentence. Point at a word: the arcs show where it looks, and how much.",state:cm,View:um};var ne=[Ul,wl,ii,tl,Ni,ml,jl],At=t=>ne.find(e=>e.name===t)??ne[0];function Ge({model:t}){let e=At(t.get("view")),n=H(()=>$o(t),[t]),[s,r]=j(()=>({...e.state,...t.get("state")}));W(()=>{let a=()=>r({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let o=uo(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return h`<${e.View} ask=${n} state=${s} change=${o} place=${t.get("place")??"notebook"} />`}function Ye(){let[,t,e]=/^#?([^?]*)\??(.*)$/s.exec(location.hash);if(t&&!ne.some(o=>o.name===t))return{view:ne[0].name,state:{},refused:`There is no view called “${zr(t)}”.`};let n=At(t),{state:s={},refused:r=null}=e?gm(n,e):{};return{view:n.name,state:s,refused:r}}function gm(t,e){let n;try{n=JSON.parse(decodeURIComponent(e))}catch{n=null}if(ts(n)!=="an object")return{refused:"The end of this address is broken: behind “?” stands the state of the view, an object of JSON."};for(let[s,r]of Object.entries(n)){if(!Object.hasOwn(t.state,s))return{refused:`${t.title} has no “${zr(s)}”: this address may say ${Object.keys(t.state).join(", ")}.`};let o=t.state[s];if(o!==null&&ts(r)!==ts(o))return{refused:`“${s}” must be ${ts(o)}: this address says ${zr(JSON.stringify(r))}.`}}return{state:n}}var zr=t=>t.length>60?`${t.slice(0,59)}…`:t,xm={string:"a text",number:"a number",boolean:"true or false",object:"an object"},ts=t=>Array.isArray(t)?"a list":t===null?"nothing":xm[typeof t];function Qe({view:t,state:e}){let n=Object.entries(e).filter(([s,r])=>_e(r)!==_e(At(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(_e(Object.fromEntries(n)))}`:""}`}var _e=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n);var ym=350,vm=700,bm="textarea, input[type=text]:not(.cell), .cell[data-draft]",[Kl,Rr,Dr,jr,es,qr]=[-1/0,!1,0,null,history.state?.depth??0,()=>{}],Ze=()=>history.state?.depth??0;function Vl(t){return t.on("change:state",()=>{Rr||=performance.now()-Kl<vm,jr=t,clearTimeout(Dr),Dr=setTimeout(ss,ym)}),t}function ss(){clearTimeout(Dr);let[t,e]=[jr,Rr];[jr,Rr]=[null,!1];let n=Ye();if(!t||n.view!==t.get("view"))return;let s=Qe({view:n.view,state:t.get("state")});!n.refused&&s===Qe(n)||(e?history.pushState({depth:es=Ze()+1},"",s):history.replaceState(history.state,"",s),qr())}function Fr(){ss(),Ze()>0&&history.back()}function ns(){ss(),Ze()<es&&history.forward()}function Jl(){let[,t]=j(0);return W(()=>{let e=a=>(a.type!=="pointermove"||a.buttons)&&(Kl=performance.now()),n=a=>{if(!(a.ctrlKey||a.metaKey)||a.altKey||a.target.matches?.(bm))return;let i={z:a.shiftKey?ns:Fr,y:ns}[a.key.toLowerCase()];i&&(a.preventDefault(),i())},s=a=>a.target.closest?.("a[href^='#']")&&ss(),r=()=>{history.state===null&&(es=0),qr()};qr=()=>t(a=>a+1);let o=["pointerdown","pointerup","pointermove","keydown","input","change","drop"];for(let a of o)addEventListener(a,e,!0);return addEventListener("keydown",n),addEventListener("click",s,!0),addEventListener("popstate",r),()=>{for(let a of o)removeEventListener(a,e,!0);removeEventListener("keydown",n),removeEventListener("click",s,!0),removeEventListener("popstate",r)}},[]),{past:Ze(),future:es-Ze()}}var Xl=[["Start",["start"]],["Learn",["playground","claims"]],["Inspect",["maps","heads"]],["Design",["patterns"]],["Runs",["runs"]]],se=new Map;function Gl({view:t,state:e}){return se.has(t)||se.set(t,Vl(new pn({view:t,state:e,place:"page"}))),se.get(t)}function wm({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=r=>{console.error(r),s(r)},W(()=>{let r=()=>s(null);return t.on("change:state",r),()=>t.off("change:state",r)},[t]),n===null?e:h`<${Yl} why=${`The view cannot show this address: ${n.message}`} again=${()=>t.set("state",{})} />`}var Yl=({why:t,again:e})=>h`<section class="panel" role="alert"><p class="error">${t}</p><button onClick=${e}>Start over</button></section>`;function Ql(){let[t,e]=j(Ye);W(()=>{let s=()=>{let r=Ye();se.has(r.view)&&_e(se.get(r.view).get("state"))!==_e(r.state)&&se.get(r.view).set("state",r.state),e(r)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),W(()=>{document.title=`${At(t.view).title} · regard`},[t.view]);let n=At(t.view);return h`
    <a class="skip" href=${location.hash||"#start"} onClick=${Mm}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#start" aria-label="regard"><${Pn} />regard</a>
      <nav aria-label="Views">${ne.map(s=>h`<${tc} one=${s} here=${n} />`)}</nav>
      <${km} /><${Ln} />
    </header>
    <main id="main" tabindex="-1" class=${`of-${n.name}`}>
      <div class="heading"><h1>${n.headline??n.title}</h1><p>${n.about}</p></div>
      ${t.refused?h`<${Yl} why=${t.refused} again=${()=>location.hash=`#${n.name}`} />`:h`<${wm} key=${n.name} model=${Gl(t)}><${Ge} model=${Gl(t)} /><//>`}
    </main>
    <${_m} here=${n} />
  `}var Zl=t=>Qe({view:t,state:se.get(t)?.get("state")??{}}),tc=({one:t,here:e})=>h`<a href=${Zl(t.name)} aria-current=${t===e?"page":null}>${t.title}</a>`;function _m({here:t}){let[,e]=Xl.find(([,n])=>n.includes(t.name));return h`<nav class="bottom" aria-label="Where you are">
    ${e.length>1&&h`<div class="bottom-views">${e.map(n=>h`<${tc} one=${At(n)} here=${t} />`)}</div>`}
    <div class="bottom-groups">${Xl.map(([n,s])=>h`<a href=${Zl(s.includes(t.name)?t.name:s[0])}
      aria-current=${s===e?"true":null}>${n}</a>`)}</div>
  </nav>`}function km(){let{past:t,future:e}=Jl(),n=s=>h`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d=${s} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" /></svg>`;return h`<span class="undo"><${xt} class="quiet" aria-label="Undo" title="Undo (Ctrl-Z)" off=${!t} onClick=${Fr}>${n("M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8")}<//><${xt}
    class="quiet" aria-label="Redo" title="Redo (Ctrl-Shift-Z)" off=${!e} onClick=${ns}>${n("m13 4 4 4-4 4m4-4H9a5 5 0 0 0 0 10h3")}<//></span>`}function Mm(t){t.preventDefault(),document.getElementById("main").focus()}var Ir=document.getElementById("regard-page");Ir&&(Ir.textContent="",Ce(h`<${Ql} />`,Ir));var ec=document.getElementById("regard-saved");ec&&Sm(JSON.parse(ec.textContent));function Sm({view:t,state:e,answers:n,version:s,date:r}){let o=At(t),a=new hn({view:t,state:e,place:"file"},n);document.title=`${o.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=h`
    <main>
      <div class="heading"><div><h1>${o.title}</h1><p>${o.about}</p></div><${Ln} /></div>
      <${Ge} model=${a} />
    </main>
    <footer><${Pn} /><p>Saved from regard ${s} on ${r}; <code>regard explore</code> shows it live.</p></footer>
  `;Ce(l,i)}function nc(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var q0={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:r})=>e.contains(r)&&(r.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),nc();let s=new MutationObserver(nc);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),Ce(h`<${Ge} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),Ce(null,e))}};export{pn as PageModel,hn as SavedModel,$o as asker,q0 as default,nr as drawFigure,$e as ellipseOf,bc as fromBase64,h as html,bt as isAborted,Ce as render,ys as toBase64,vc as unpack,X as useAnswer,dt as useLatest,At as viewOf};
